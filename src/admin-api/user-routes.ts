import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { findUserId, listUsers } from '../accounts/lookup.ts'
import { findUser } from '../accounts/queries.ts'
import { addUser, changeUser, toUser } from '../accounts/users.ts'
import { ADMIN_EXAMPLES } from '../contract/admin/examples.ts'
import { ADMIN_REQUESTS } from '../contract/admin/request-examples.ts'
import { User, UserCreate, UserDeleted, UserList, UserListQuery, UserPatch, UserPath } from '../contract/admin/user.ts'
import { throwNotFound } from '../core/api-error.ts'
import { cutPage } from '../core/page.ts'
import { deleteUser } from '../deletions/delete-user.ts'
import type { Services } from '../services.ts'

const tags = ['Users']

export const userRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, jobs, clock }) => {
  app.post(
    '/users',
    {
      config: { request: ADMIN_REQUESTS.user, example: ADMIN_EXAMPLES.user },
      schema: {
        operationId: 'createUser',
        tags,
        summary: 'Add a user',
        description:
          'An e-mail address belongs to one user; the address of another user is refused. Find its user with `GET /app/v1/users?email=`.',
        body: UserCreate,
        response: { 201: User }
      }
    },
    async ({ body }, reply) => reply.code(201).send(toUser(await addUser(db, body, clock.now())))
  )

  app.get(
    '/users',
    {
      config: { example: { users: [ADMIN_EXAMPLES.user], next_cursor: null, has_more: false } },
      schema: {
        operationId: 'listUsers',
        tags,
        summary: 'List users',
        description: 'All users in order of creation, or the user with an e-mail address.',
        querystring: UserListQuery,
        response: { 200: UserList }
      }
    },
    async ({ query: { email, cursor = '', limit } }) => {
      if (email !== undefined) {
        const userId = await findUserId(db, email)
        const user = userId && (await findUser(db, userId))
        return { users: user ? [toUser(user)] : [], next_cursor: null, has_more: false }
      }
      const rows = await listUsers(db, cursor, limit + 1)
      const { page, next } = cutPage(rows, limit, user => user.userId)
      return { users: page.map(toUser), ...next }
    }
  )

  app.get(
    '/users/:user_id',
    {
      config: { example: ADMIN_EXAMPLES.user },
      schema: { operationId: 'getUser', tags, summary: 'Get a user', params: UserPath, response: { 200: User } }
    },
    async ({ params: { user_id } }) => toUser((await findUser(db, user_id)) ?? throwNotFound('User'))
  )

  app.patch(
    '/users/:user_id',
    {
      config: { request: ADMIN_REQUESTS.userChange, example: ADMIN_EXAMPLES.user },
      schema: {
        operationId: 'updateUser',
        tags,
        summary: 'Change a user',
        description:
          'Send the fields to change. A new e-mail address is unverified unless `email_verified` is sent with it.',
        params: UserPath,
        body: UserPatch,
        response: { 200: User }
      }
    },
    async ({ params: { user_id }, body }) =>
      toUser((await changeUser(db, user_id, body, clock.now())) ?? throwNotFound('User'))
  )

  app.delete(
    '/users/:user_id',
    {
      config: { example: { id: ADMIN_EXAMPLES.user.id, deleted: true } },
      schema: {
        operationId: 'deleteUser',
        tags,
        summary: 'Delete a user',
        description:
          'Deletes a user permanently, with sessions, recordings, folders, people, tokens, webhooks, events and shares. Tokens and shares end at once; a background job erases the rest. Records no event.',
        params: UserPath,
        response: { 200: UserDeleted }
      }
    },
    async ({ params: { user_id: id } }) =>
      (await deleteUser({ db, jobs, clock }, id)) ? { id, deleted: true } : throwNotFound('User')
  )
}
