import type { FastifyContextConfig } from 'fastify'
import type { ErrorCode } from '../../../contract/errors.ts'

/** The parts of an OpenAPI document that routes do not declare. */
export interface ApiDescription {
  info: { title: string; version: string; summary: string; description: string }
  serverUrl: string
  tags: { name: string; description: string }[]
  securitySchemes: Record<string, { type: 'http'; scheme: 'bearer'; description: string }>
  /** The security requirements of an operation; an empty list for a public one. */
  securityOf(scopes: FastifyContextConfig['scopes']): { [scheme: string]: string[] }[]
  /** Error codes of every operation, public or guarded. */
  errors: { open: readonly ErrorCode[]; guarded: readonly ErrorCode[] }
  meaning: Record<ErrorCode, string>
  /** Response headers, by name. */
  headers: Record<string, AnswerHeader>
  /** The `webhooks` section. */
  webhooks?: object
}

interface AnswerHeader {
  description: string
  type: 'string' | 'integer'
  /** True if each response described with the header always carries it. */
  required: boolean
  /** The statuses that have the header on every route; other responses have it where the route names it. */
  on?: (status: number) => boolean
}

export const REQUEST_ID: AnswerHeader = {
  description: 'The id of this request, to quote when something is wrong.',
  type: 'string',
  required: true,
  on: () => true
}

export const WWW_AUTHENTICATE: AnswerHeader = {
  description:
    'The challenge of RFC 6750: `Bearer`, with `error` for an invalid token, and with `scope` for a scope that the token lacks.',
  type: 'string',
  required: false,
  on: status => status === 401 || status === 403
}

export const RETRY_AFTER: AnswerHeader = {
  description: 'Seconds after which to try again.',
  type: 'integer',
  required: true,
  on: status => status === 429 || status === 503
}

/** The headers that single operations name. */
export const OPERATION_HEADERS: Record<string, AnswerHeader> = {
  ETag: {
    description:
      'Send that of a read as `If-None-Match`: an unchanged answer is then 304. On action items and a PATCH it is their version, and on a session that of its content; either may be sent as `If-Match`.',
    type: 'string',
    required: true
  },
  Link: {
    description:
      'The URL of the next page, with `rel="next"`; without a host if you did not use the public URL of the server. Absent on the last page. What will go has the guide to deprecations as `rel="deprecation"`.',
    type: 'string',
    required: false
  },
  Vary: { description: 'The request headers that the answer depends on.', type: 'string', required: true },
  'Content-Disposition': {
    description: 'The name to save the file under, which has the title of the session. Absent on JSON.',
    type: 'string',
    required: false
  },
  Deprecation: {
    description: 'Since when something that the request used is deprecated: `@` and epoch seconds. Absent otherwise.',
    type: 'string',
    required: false
  },
  Sunset: {
    description: 'Until when it is there, as HTTP writes dates. Absent if nothing that the request used is deprecated.',
    type: 'string',
    required: false
  },
  'Tus-Resumable': { description: 'The version of tus of this answer.', type: 'string', required: true },
  'Tus-Version': {
    description: 'The versions of tus that the server speaks. Only on 412 for another one.',
    type: 'string',
    required: false
  },
  Location: { description: 'The path of the session or upload.', type: 'string', required: true },
  'Upload-Expires': {
    description: 'When the upload is removed, as HTTP writes dates.',
    type: 'string',
    required: true
  },
  'Upload-Offset': { description: 'The bytes that have arrived.', type: 'integer', required: true },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored answer of an earlier request with the same `Idempotency-Key`.',
    type: 'string',
    required: false
  },
  'X-Search-Mode': {
    description:
      '`lexical` if the search compared terms only: embeddings are off, late, or do not cover the script of the query.',
    type: 'string',
    required: false
  }
}
