import { pathId } from '../common.ts'
import type { OperatorRoute } from '../routes/route.ts'
import { ADMIN_EXAMPLES } from './examples.ts'
import { ADMIN_REQUESTS } from './request-examples.ts'
import { TokenCreate, TokenIssued, TokenList, TokenRevoked } from './token.ts'
import { User, UserCreate, UserDeleted, UserList, UserListQuery, UserPatch, UserPath } from './user.ts'

export const USER_ROUTES = {
  createUser: {
    method: 'POST',
    url: '/users',
    config: { openapi: { request: ADMIN_REQUESTS.user, example: ADMIN_EXAMPLES.user } },
    schema: {
      operationId: 'createUser',
      tags: ['Users'],
      summary: 'Add a user',
      description:
        'An e-mail address belongs to one user; the address of another user is refused. Find its user with `GET /app/v1/users?email=`.',
      body: UserCreate,
      response: { 201: User }
    }
  },
  listUsers: {
    method: 'GET',
    url: '/users',
    config: { openapi: { example: { users: [ADMIN_EXAMPLES.user], next_cursor: null, has_more: false } } },
    schema: {
      operationId: 'listUsers',
      tags: ['Users'],
      summary: 'List users',
      description:
        'All users in order of creation, those whose name or address contains a text, or the user with an e-mail address.',
      querystring: UserListQuery,
      response: { 200: UserList }
    }
  },
  getUser: {
    method: 'GET',
    url: '/users/:user_id',
    config: { openapi: { example: ADMIN_EXAMPLES.user } },
    schema: {
      operationId: 'getUser',
      tags: ['Users'],
      summary: 'Get a user',
      params: UserPath,
      response: { 200: User }
    }
  },
  updateUser: {
    method: 'PATCH',
    url: '/users/:user_id',
    config: { openapi: { request: ADMIN_REQUESTS.userChange, example: ADMIN_EXAMPLES.user } },
    schema: {
      operationId: 'updateUser',
      tags: ['Users'],
      summary: 'Change a user',
      description:
        'Send the fields to change. A new e-mail address is unverified unless `email_verified` is sent with it.',
      params: UserPath,
      body: UserPatch,
      response: { 200: User }
    }
  },
  deleteUser: {
    method: 'DELETE',
    url: '/users/:user_id',
    config: { openapi: { example: { id: ADMIN_EXAMPLES.user.id, deleted: true } } },
    schema: {
      operationId: 'deleteUser',
      tags: ['Users'],
      summary: 'Delete a user',
      description:
        'Deletes a user permanently, with sessions, recordings, folders, people, tokens, webhooks, events and shares. Tokens and shares end at once; a background job erases the rest. Records no event.',
      params: UserPath,
      response: { 200: UserDeleted }
    }
  }
} satisfies Record<string, OperatorRoute>

export const TOKEN_ROUTES = {
  createToken: {
    method: 'POST',
    url: '/users/:user_id/tokens',
    config: { openapi: { request: ADMIN_REQUESTS.token, example: ADMIN_EXAMPLES.tokenIssued } },
    schema: {
      operationId: 'createToken',
      tags: ['Tokens'],
      summary: 'Issue a token',
      description:
        'Creates a token for `/v1`, valid for a year or for `expires_in` seconds. The token is returned only here.',
      params: UserPath,
      body: TokenCreate,
      response: { 201: TokenIssued }
    }
  },
  listTokens: {
    method: 'GET',
    url: '/users/:user_id/tokens',
    config: { openapi: { example: ADMIN_EXAMPLES.tokenList } },
    schema: {
      operationId: 'listTokens',
      tags: ['Tokens'],
      summary: 'List tokens',
      description: 'All tokens of the user, including expired and revoked ones.',
      params: UserPath,
      response: { 200: TokenList }
    }
  },
  revokeToken: {
    method: 'DELETE',
    url: '/users/:user_id/tokens/:token_id',
    config: { openapi: { example: ADMIN_EXAMPLES.tokenRevoked } },
    schema: {
      operationId: 'revokeToken',
      tags: ['Tokens'],
      summary: 'Revoke a token',
      description: 'The next request with the token is refused. Repeating it changes nothing.',
      params: UserPath.extend({ token_id: pathId('The id of the token.') }),
      response: { 200: TokenRevoked }
    }
  }
} satisfies Record<string, OperatorRoute>
