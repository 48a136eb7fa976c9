import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { PEOPLE_ROUTES_OF_OPERATOR, PEOPLE_ROUTES as routes } from '../../contract/routes/people.ts'
import type { Services } from '../services.ts'
import { createPerson, updatePerson } from './change-person.ts'
import { correctSpeaker } from './correct-speaker.ts'
import { deletePerson } from './delete-person.ts'
import { getPerson, listPeople, listPersonSessions, listSessionPeople } from './list-people.ts'
import { mergePeople } from './merge.ts'

/** People over HTTP: for tokens below `/v1`, and for the operator below a user's path. */
export const peoplePlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.get('/people', routes.listPeople, ({ actor, query }) => listPeople(services, actor, query))

  app.get('/people/:id/sessions', routes.listPersonSessions, ({ actor, params, query }) =>
    listPersonSessions(services, actor, params.id, query)
  )

  app.post('/people', routes.createPerson, ({ actor, body }, reply) =>
    reply.answerOnce(body, async services => {
      const { person, created } = await createPerson(services, actor, body)
      return { status: created ? 201 : 200, body: person }
    })
  )

  app.patch('/people/:id', routes.updatePerson, ({ actor, params, body }) =>
    updatePerson(services, actor, params.id, body)
  )

  app.delete('/people/:id', routes.deletePerson, async ({ actor, params }, reply) => {
    await deletePerson(services, actor, params.id)
    reply.code(204)
  })

  app.post('/people/:id/merge', routes.mergePerson, ({ actor, params, body }) =>
    mergePeople(services, actor, params.id, body)
  )

  app.patch('/sessions/:id/speakers', routes.correctSpeaker, ({ actor, params, body }) =>
    correctSpeaker(services, actor, params.id, body)
  )
}

/** The same for the operator, who also reads a single person and the people in a session. */
export const operatorPeoplePlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  await app.register(peoplePlugin, { services })

  app.get('/people/:id', PEOPLE_ROUTES_OF_OPERATOR.getPerson, ({ actor, params }) =>
    getPerson(services, actor, params.id)
  )

  app.get('/sessions/:id/people', PEOPLE_ROUTES_OF_OPERATOR.listSessionPeople, ({ actor, params }) =>
    listSessionPeople(services, actor, params.id)
  )
}
