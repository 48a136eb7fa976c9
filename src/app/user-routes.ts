import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { findUserId, listUsersAfter } from '../accounts/lookup.ts'
import { addUser, changeUser, outlineOf } from '../accounts/manage.ts'
import { findUser } from '../accounts/queries.ts'
import { APP_EXAMPLES } from '../contract/app/examples.ts'
import { APP_REQUESTS } from '../contract/app/request-examples.ts'
import { AppUser, UserCreate, UserDeleted, UserList, UserListQuery, UserPatch } from '../contract/app/user.ts'
import { notFound } from '../core/api-error.ts'
import { deleteUser } from '../deletions/user.ts'
import type { AppDeps } from './deps.ts'
import { user_id } from './params.ts'

const tags = ['Users']
const params = z.object({ user_id })

export const userRoutes: FastifyPluginAsyncZod<AppDeps> = async (app, { db, jobs, clock }) => {
  app.post(
    '/users',
    {
      config: { request: APP_REQUESTS.user, errors: ['invalid_request'], example: APP_EXAMPLES.user },
      schema: {
        operationId: 'createUser',
        tags,
        summary: 'Add a user',
        description: 'An e-mail address belongs to one user; that of another is refused. Look it up with `GET /app/v1/users?email=`.',
        body: UserCreate,
        response: { 201: AppUser }
      }
    },
    async ({ body }, reply) => reply.code(201).send(outlineOf(await addUser(db, body, clock.now())))
  )

  app.get(
    '/users',
    {
      config: { errors: ['invalid_request'], example: { users: [APP_EXAMPLES.user], next_cursor: null, has_more: false } },
      schema: {
        operationId: 'listUsers',
        tags,
        summary: 'List users',
        description: 'In the order of their creation, or the one who has an e-mail address.',
        querystring: UserListQuery,
        response: { 200: UserList }
      }
    },
    async ({ query: { email, cursor = '', limit } }) => {
      if (email !== undefined) {
        const userId = await findUserId(db, email)
        const user = userId && (await findUser(db, userId))
        return { users: user ? [outlineOf(user)] : [], next_cursor: null, has_more: false }
      }
      const rows = await listUsersAfter(db, cursor, limit + 1)
      const page = rows.slice(0, limit)
      const more = rows.length > limit
      return { users: page.map(outlineOf), next_cursor: more ? (page.at(-1)?.userId ?? null) : null, has_more: more }
    }
  )

  app.get(
    '/users/:user_id',
    {
      config: { errors: ['invalid_request', 'not_found'], example: APP_EXAMPLES.user },
      schema: { operationId: 'getUser', tags, summary: 'Get a user', params, response: { 200: AppUser } }
    },
    async ({ params: { user_id } }) => outlineOf((await findUser(db, user_id)) ?? noUser())
  )

  app.patch(
    '/users/:user_id',
    {
      config: { request: APP_REQUESTS.userChange, errors: ['invalid_request', 'not_found'], example: APP_EXAMPLES.user },
      schema: {
        operationId: 'updateUser',
        tags,
        summary: 'Change a user',
        description:
          'Send the fields to change; the others stay. Another e-mail address counts as not verified unless `email_verified` is sent with it.',
        params,
        body: UserPatch,
        response: { 200: AppUser }
      }
    },
    async ({ params: { user_id }, body }) => outlineOf((await changeUser(db, user_id, body, clock.now())) ?? noUser())
  )

  app.delete(
    '/users/:user_id',
    {
      config: { errors: ['invalid_request', 'not_found'], example: { id: APP_EXAMPLES.user.id, deleted: true } },
      schema: {
        operationId: 'deleteUser',
        tags,
        summary: 'Delete a user',
        description:
          'For good, with everything they have: sessions, recordings, folders, people, tokens, webhooks, events, what they share and what is shared with them. Tokens and shares end at once; a job erases the rest. No event tells of it.',
        params,
        response: { 200: UserDeleted }
      }
    },
    async ({ params: { user_id: id } }) => ((await deleteUser({ db, jobs, clock }, id)) ? { id, deleted: true } : noUser())
  )
}

function noUser(): never {
  throw notFound('User')
}
