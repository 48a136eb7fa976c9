import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { USER_ROUTES as routes } from '../../contract/admin/account-routes.ts'
import { createUser, getUser, listUsers, updateUser } from '../../features/accounts/operations.ts'
import { deleteUser } from '../../features/deletions/delete-user.ts'
import type { Services } from '../../features/services.ts'

export const usersPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.createUser,
    handler: async ({ body }, reply) => reply.code(201).send(await createUser(services, body))
  })

  app.route({
    ...routes.listUsers,
    handler: ({ query }) => listUsers(services, query)
  })

  app.route({
    ...routes.getUser,
    handler: ({ actor }) => getUser(services, actor)
  })

  app.route({
    ...routes.updateUser,
    handler: ({ actor, body }) => updateUser(services, actor, body)
  })

  app.route({
    ...routes.deleteUser,
    handler: async ({ actor }) => {
      await deleteUser(services, actor)
      return { id: actor.userId, deleted: true }
    }
  })
}
