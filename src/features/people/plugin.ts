import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { OPERATOR_PEOPLE_ROUTES, PEOPLE_ROUTES as routes } from '../../contract/routes/people.ts'
import type { Services } from '../services.ts'
import { createPerson, updatePerson } from './change-person.ts'
import { correctSpeaker } from './correct-speaker.ts'
import { deletePerson } from './delete-person.ts'
import { getPerson, listPeople, listPersonSessions, listSessionPeople } from './list-people.ts'
import { mergePeople } from './merge.ts'

/** People over HTTP: for tokens below `/v1`, and for the operator below a user's path. */
export const peoplePlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.listPeople,
    handler: ({ actor, query }) => listPeople(services, actor, query)
  })

  app.route({
    ...routes.listPersonSessions,
    handler: ({ actor, params, query }) => listPersonSessions(services, actor, params.id, query)
  })

  app.route({
    ...routes.createPerson,
    handler: ({ actor, body }, reply) =>
      reply.answerOnce(body, async services => {
        const { person, created } = await createPerson(services, actor, body)
        return { status: created ? 201 : 200, body: person }
      })
  })

  app.route({
    ...routes.updatePerson,
    handler: ({ actor, params, body }) => updatePerson(services, actor, params.id, body)
  })

  app.route({
    ...routes.deletePerson,
    handler: async ({ actor, params }, reply) => {
      await deletePerson(services, actor, params.id)
      reply.code(204)
    }
  })

  app.route({
    ...routes.mergePerson,
    handler: ({ actor, params, body }) => mergePeople(services, actor, params.id, body)
  })

  app.route({
    ...routes.correctSpeaker,
    handler: ({ actor, params, body }) => correctSpeaker(services, actor, params.id, body)
  })
}

/** The same for the operator, who also reads a single person and the people in a session. */
export const operatorPeoplePlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  await app.register(peoplePlugin, { services })

  app.route({
    ...OPERATOR_PEOPLE_ROUTES.getPerson,
    handler: ({ actor, params }) => getPerson(services, actor, params.id)
  })

  app.route({
    ...OPERATOR_PEOPLE_ROUTES.listSessionPeople,
    handler: ({ actor, params }) => listSessionPeople(services, actor, params.id)
  })
}
