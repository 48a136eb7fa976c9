import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { OPERATIONS } from '../operations.ts'
import { AppendHeaders, CreateUploadHeaders, PART_TYPE, PartUpload, TusHeaders, uploadId } from '../part-upload.ts'
import type { RouteDescription } from './route.ts'

const tags = ['Uploads']
/** Every answer of tus has them. */
const headersOfAll = ['Tus-Resumable', 'Tus-Version']
const BEGUN = {
  id: 'upl_01m7x9fbe4fey9tg3s33gak8w3',
  offset: 0,
  bytes: 1_048_576,
  expires_at: '2026-03-03T10:00:00.000Z'
}
const params = z.object({ id: uploadId })

/** The routes of the tus protocol, version 1.0.0. */
export const UPLOAD_ROUTES = {
  createUpload: {
    method: 'POST',
    url: '/uploads',
    config: {
      answerTimeoutMs: LIMITS.uploadMs,
      scopes: OPERATIONS.createUpload,
      headers: ['Location', 'Upload-Expires', 'Upload-Offset'],
      headersOfAll,
      bodyTimeoutMs: LIMITS.uploadMs,
      openapi: { errors: ['precondition_failed', 'limit_exceeded', 'conflict'], example: BEGUN }
    },
    schema: {
      operationId: 'createUpload',
      tags,
      summary: 'Begin an upload in parts',
      description: `Begins the upload of a file of \`Upload-Length\` bytes, or of a length that a later PATCH sends, by the tus protocol, whose clients go on where a connection broke off. \`Location\` is its address, which takes the bytes by PATCH. The first ones may be the body of this request, as \`${PART_TYPE}\`. When all have arrived, \`POST /v1/sessions/upload?upload=\` imports the file. An upload lives a day, and counts towards the quota of stored bytes.`,
      headers: CreateUploadHeaders,
      response: { 201: PartUpload }
    }
  },
  appendToUpload: {
    method: 'PATCH',
    url: '/uploads/:id',
    config: {
      answerTimeoutMs: LIMITS.uploadMs,
      scopes: OPERATIONS.appendToUpload,
      headers: ['Upload-Expires', 'Upload-Offset'],
      headersOfAll,
      bodyTimeoutMs: LIMITS.uploadMs,
      content: { [PART_TYPE]: { schema: { type: 'string', format: 'binary' } } },
      openapi: { errors: ['precondition_failed', 'conflict', 'limit_exceeded'] }
    },
    schema: {
      operationId: 'appendToUpload',
      tags,
      summary: 'Send the next bytes of an upload',
      description:
        'Appends the body to an upload. A HEAD request to the same path returns its `Upload-Offset`, `Upload-Length` or `Upload-Defer-Length`, `Upload-Metadata` and `Upload-Expires`. What arrived of a body that breaks off is kept. A request with another offset than that of the upload is refused with 409, and so is one that another request supersedes.',
      params,
      headers: AppendHeaders,
      response: { 204: z.undefined() }
    }
  },
  cancelUpload: {
    method: 'DELETE',
    url: '/uploads/:id',
    config: {
      scopes: OPERATIONS.cancelUpload,
      headersOfAll,
      openapi: { errors: ['precondition_failed', 'conflict'] }
    },
    schema: {
      operationId: 'cancelUpload',
      tags,
      summary: 'Cancel an upload',
      description: 'Deletes the bytes that have arrived. A session that was made of them stays.',
      params,
      headers: TusHeaders,
      response: { 204: z.undefined() }
    }
  },
  // A HEAD request has no body that the document could describe.
  getUpload: {
    method: 'HEAD',
    url: '/uploads/:id',
    config: { scopes: OPERATIONS.getUpload },
    schema: { hide: true, params, headers: TusHeaders }
  }
} satisfies Record<string, RouteDescription>

/** The same for the scripts of pages, which have a guard of their own and are not in the document. */
export const PAGE_UPLOAD_ROUTES = {
  createUpload: forPages(UPLOAD_ROUTES.createUpload),
  getUpload: forPages(UPLOAD_ROUTES.getUpload),
  appendToUpload: forPages(UPLOAD_ROUTES.appendToUpload),
  cancelUpload: forPages(UPLOAD_ROUTES.cancelUpload)
} satisfies typeof UPLOAD_ROUTES

function forPages<R extends { config: object; schema: object }>(route: R) {
  return { ...route, config: { ...route.config, scopes: 'public' as const }, schema: { ...route.schema, hide: true } }
}
