import { z } from 'zod'
import { sessionId } from '../common.ts'
import { EXAMPLES } from '../examples.ts'
import { IdempotencyHeaders } from '../idempotency.ts'
import { LibraryImported } from '../library-imported.ts'
import { LIMITS } from '../limits.ts'
import { OPERATIONS } from '../operations.ts'
import { PackedDocument } from '../packed-document.ts'
import { REQUESTS } from '../request-examples.ts'
import { SessionAccepted } from '../session-accepted.ts'
import { FormUploadQuery, UploadSessionQuery } from '../session-import.ts'
import type { RouteDescription } from './route.ts'

const tags = ['Sessions']
const headers = ['Location'] as const
const openapi = { errors: ['conflict', 'limit_exceeded'], example: EXAMPLES.sessionAccepted } as const
const response = { 200: SessionAccepted, 202: SessionAccepted }

const FORM_FIELDS = z.toJSONSchema(FormUploadQuery.omit({ file: true }), { io: 'input' }).properties

/** Raw bytes have no schema in OpenAPI 3.1. The form comes first, for generators of clients that read one type. */
const UPLOAD_CONTENT = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['file'],
      properties: { file: { type: 'string', format: 'binary' }, ...FORM_FIELDS }
    }
  },
  '*/*': {}
}

export const INGEST_ROUTES = {
  createSession: {
    method: 'POST',
    url: '/sessions',
    bodyLimit: LIMITS.documentBytes,
    config: {
      answerTimeoutMs: LIMITS.uploadMs,
      scopes: OPERATIONS.createSession,
      headers,
      repairsText: true,
      shape: 'PackedDocument',
      maxValues: LIMITS.documentValues,
      bodyTimeoutMs: LIMITS.uploadMs,
      openapi: { ...openapi, request: REQUESTS.session }
    },
    schema: {
      operationId: 'createSession',
      tags,
      summary: 'Import a conversation',
      description:
        'Imports a document and processes it in the background: `status` in the session shows the progress, and `session.completed` is recorded at the end. Webhooks that name `session.created` and `session.failed` get these. A second document with the same `external_id` changes nothing and returns the existing session with 200.',
      headers: IdempotencyHeaders,
      body: PackedDocument,
      response
    }
  },
  uploadSession: {
    method: 'POST',
    url: '/sessions/upload',
    config: {
      answerTimeoutMs: LIMITS.uploadMs,
      scopes: OPERATIONS.uploadSession,
      headers,
      bodyTimeoutMs: LIMITS.uploadMs,
      content: UPLOAD_CONTENT,
      openapi: { ...openapi, errors: [...openapi.errors, 'not_found'] }
    },
    schema: {
      operationId: 'uploadSession',
      tags,
      summary: 'Import a file',
      description:
        'Imports a transcript (.vtt, .srt, .txt, .md, .docx, .tsv, .csv, .sbv, .ttml, or the .json of a transcription tool) or a recording: a form with one file and, as fields, any of the query parameters; or the bytes as the body with `file` in the query, under any other type, such as `application/octet-stream`; or no body, and `upload` in the query with the id of a finished upload in parts. Query parameters override the form, and both override the file. The same file, or the same `external_id`, returns the existing session with 200. A .zip is an export of a library: all its sessions are imported, those that exist stay as they are, and the answer is a LibraryImported with 200; send it without parameters besides `file`. That answer begins at once and may take minutes: it has a line break for each session that is done and a space every few seconds before its value.',
      querystring: UploadSessionQuery,
      headers: IdempotencyHeaders,
      response: { ...response, 200: z.union([SessionAccepted, LibraryImported]) }
    }
  },
  retrySession: {
    method: 'POST',
    url: '/sessions/:id/retry',
    config: { scopes: OPERATIONS.retrySession, headers, openapi: { ...openapi, errors: ['conflict'] } },
    schema: {
      operationId: 'retrySession',
      tags,
      summary: 'Process a failed session again',
      description:
        'Processes a failed session again. A session that is processing is left alone; a completed one, and one without anything to process, is refused with 409.',
      params: z.object({ id: sessionId }),
      headers: IdempotencyHeaders,
      response: { 202: SessionAccepted }
    }
  }
} satisfies Record<string, RouteDescription>
