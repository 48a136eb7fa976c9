import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { sessionId } from '../contract/common.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { IdempotencyHeaders } from '../contract/idempotency.ts'
import { ImportDocument } from '../contract/import-document.ts'
import { ignoredKeys } from '../contract/import-keys.ts'
import { LIMITS } from '../contract/limits.ts'
import { REQUESTS } from '../contract/request-examples.ts'
import { SessionAccepted } from '../contract/session-accepted.ts'
import { FormUploadQuery } from '../contract/session-import.ts'
import { invalid } from '../core/api-error.ts'
import type { Services } from '../services.ts'
import { sessionPath, toAccepted } from '../sessions/accepted.ts'
import { acceptDocument, acceptUpload } from './accept.ts'
import type { ImportResult } from './import.ts'
import { FORM_LIMITS, readForm } from './read-form.ts'
import { retrySession } from './retry.ts'
import { readUpload, storeUpload, withUploadFolder } from './upload.ts'

const tags = ['Sessions']
const answers = {
  scopes: ['sessions:create'],
  errors: ['conflict'],
  example: EXAMPLES.sessionAccepted,
  headers: ['Location'],
  bodyTimeoutMs: LIMITS.uploadMs
} as const
const response = { 200: SessionAccepted, 202: SessionAccepted }

export const importRoutes: FastifyPluginAsyncZod<Services> = async (app, services) => {
  app.post(
    '/sessions',
    {
      bodyLimit: LIMITS.documentBytes,
      handlerTimeout: LIMITS.uploadMs,
      config: { ...answers, maxValues: LIMITS.documentValues, request: REQUESTS.session, repairsText: true },
      schema: {
        operationId: 'createSession',
        tags,
        summary: 'Import a conversation',
        description:
          'Imports a document and processes it in the background: `status` in the session shows the progress, and `session.completed` is recorded at the end. Webhooks that name `session.created` and `session.failed` get these. A second document with the same `external_id` changes nothing and returns the existing session with 200.',
        headers: IdempotencyHeaders,
        body: ImportDocument,
        response
      },
      // After this the body has known keys only.
      preValidation: async request => {
        request.ignored = ignoredKeys(request.body)
      }
    },
    async ({ actor: { userId }, body, ignored = [] }, reply) => {
      return await acceptDocument(services, userId, body, { fallbackTitle: 'Untitled' }, run =>
        reply.answerOnce(body, ({ db }) => db.transaction(async tx => answerOf(await run(tx), ignored)))
      )
    }
  )
  await app.register(uploadRoute, services)

  app.post(
    '/sessions/:id/retry',
    {
      config: {
        scopes: ['sessions:create', 'sessions:write'],
        errors: ['conflict'],
        example: EXAMPLES.sessionAccepted,
        headers: ['Location']
      },
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
    },
    async ({ actor, params: { id } }, reply) =>
      await reply.answerOnce(undefined, async ({ db }) => {
        const body = toAccepted(await retrySession({ ...services, db }, actor.userId, id))
        return { status: 202, location: sessionPath(id), body }
      })
  )
}

const uploadRoute: FastifyPluginAsyncZod<Services> = async (app, services) => {
  const { uploadFolder } = services
  await app.register(multipart, {
    limits: { ...FORM_LIMITS, fileSize: Number.POSITIVE_INFINITY },
    throwFileSizeLimit: false
  })
  // Accepts the bytes of a file under any content type: a browser sends a .json file as JSON.
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  app.post(
    '/sessions/upload',
    {
      handlerTimeout: LIMITS.uploadMs,
      config: { ...answers, content: UPLOAD_CONTENT },
      schema: {
        operationId: 'uploadSession',
        tags,
        summary: 'Import a file',
        description:
          'Imports a transcript (.vtt, .srt, .txt, .md, .docx, .tsv, .csv, .sbv, .ttml, or the .json of a transcription tool) or a recording: a form with one file and, as fields, any of the query parameters; or the bytes as the body with `file` in the query, under any other type, such as `application/octet-stream`. Query parameters override the form, and both override the file. The same file, or the same `external_id`, returns the existing session with 200.',
        querystring: FormUploadQuery,
        headers: IdempotencyHeaders,
        response
      }
    },
    async (request, reply) => {
      const { query, body } = request
      return await withUploadFolder(uploadFolder, async folder => {
        const { path, fields } = request.isMultipart()
          ? await readForm(request.parts(), folder, query.file).finally(() => request.raw.unpipe().resume())
          : { path: await storeBody(body, join(folder, query.file ?? throwUnnamed())), fields: {} }
        const entry = await readUpload(path)
        return await acceptUpload(services, request.actor.userId, entry, { ...fields, ...query }, run =>
          reply.answerOnce([basename(path), entry.fallbackExternalId, fields], ({ db }) =>
            db.transaction(async tx => answerOf(await run(tx), entry.warnings))
          )
        )
      })
    }
  )
}

async function storeBody(body: unknown, path: string) {
  if (!(body instanceof Readable)) throw invalid({ problem: WRONG_BODY })
  await storeUpload(path, body)
  return path
}

function throwUnnamed(): never {
  throw invalid({
    field: 'file',
    expected: 'the name of the file in the query, such as ?file=weekly.vtt, or the file as a form'
  })
}

/** Builds the answer from the result of the import: a read after the commit could fail although the session is stored. */
function answerOf({ session, status, warnings }: ImportResult, ignored: string[]) {
  const accepted = toAccepted(session)
  const all = status === 'existing' ? [] : [...ignored, ...warnings]
  const body: SessionAccepted = { ...accepted, ...(all.length > 0 && { warnings: all }) }
  return { status: status === 'existing' ? 200 : 202, location: sessionPath(body.id), body }
}

const WRONG_BODY =
  'Send the file as the body with Content-Type: application/octet-stream, or as multipart/form-data, for example with curl -F file=@weekly.vtt'

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
