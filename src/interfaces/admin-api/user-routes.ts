import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { USER_ROUTES as routes } from '../../contract/admin/account-routes.ts'
import { createUser, getUser, listUsers, updateUser } from '../../features/accounts/operations.ts'
import { deleteUser } from '../../features/deletions/delete-user.ts'
import type { Services } from '../../features/services.ts'

export const usersPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.post('/users', routes.createUser, async ({ body }, reply) =>
    reply.code(201).send(await createUser(services, body))
  )

  app.get('/users', routes.listUsers, ({ query }) => listUsers(services, query))

  app.get('/users/:user_id', routes.getUser, ({ actor }) => getUser(services, actor))

  app.patch('/users/:user_id', routes.updateUser, ({ actor, body }) => updateUser(services, actor, body))

  app.delete('/users/:user_id', routes.deleteUser, async ({ actor }) => {
    await deleteUser(services, actor)
    return { id: actor.userId, deleted: true }
  })
}
