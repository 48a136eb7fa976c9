import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ImportDocument, UnreadableDocument } from '../contract/import-document.ts'
import { ignoredKeys } from '../contract/import-keys.ts'
import { toDate } from '../contract/instant.ts'
import { LIMITS } from '../contract/limits.ts'
import { ApiError, invalid, throwNotFound } from '../core/api-error.ts'
import type { ImportOptions } from '../ingest/document-fields.ts'
import { importConversation } from '../ingest/import.ts'
import { MediaError } from '../media/media.ts'
import { findTimeZone } from '../sessions/queries.ts'
import { ADMIN_EXAMPLES } from './contract/examples.ts'
import { ADMIN_REQUESTS } from './contract/request-examples.ts'
import { AdminSessionTaken, UploadQuery } from './contract/session.ts'
import type { AdminApiDeps } from './deps.ts'
import { user_id } from './params.ts'
import { LONGEST_UPLOAD_MS, removeAbandonedUploads, withUpload } from './upload.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Warnings about ignored parts of the body, one sentence each. */
    ignored?: string[]
  }
}

const tags = ['Sessions']
const params = z.object({ user_id })
const example = { ...ADMIN_EXAMPLES.session, state: 'processing', summary: null, action_items: [], action_items_version: 0 }

export const importRoutes: FastifyPluginAsyncZod<AdminApiDeps> = async (app, deps) => {
  const { db, clock, jobs, media, transcribes, uploadFolder } = deps
  app.addHook('onReady', () => removeAbandonedUploads(uploadFolder, clock.now()))
  // Writes an upload to disk as it arrives.
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))

  app.post(
    '/users/:user_id/sessions',
    {
      bodyLimit: LIMITS.documentBytes,
      config: {
        maxValues: LIMITS.documentValues,
        request: ADMIN_REQUESTS.session,
        repairsText: true,
        errors: ['invalid_request', 'not_found'],
        example
      },
      schema: {
        operationId: 'createSession',
        tags,
        summary: 'Import a conversation',
        description:
          'Imports a document and processes it in the background: `state` shows the progress, and `session.completed` is recorded at the end. A second document with the same `external_id` changes nothing and returns the existing session with 200. `warnings` names ignored parts, such as unknown keys.',
        params,
        body: ImportDocument,
        response: { 200: AdminSessionTaken, 201: AdminSessionTaken }
      },
      // After this the body has known keys only.
      preValidation: async request => {
        request.ignored = ignoredKeys(request.body)
      }
    },
    async ({ params: { user_id }, body, ignored }, reply) => {
      const { answer, created } = await accept(user_id, body, { fallbackTitle: 'Untitled' }, ignored ?? [])
      return reply.code(created ? 201 : 200).send(answer)
    }
  )

  app.post(
    '/users/:user_id/sessions/upload',
    {
      handlerTimeout: LONGEST_UPLOAD_MS,
      config: { errors: ['invalid_request', 'not_found'], example },
      schema: {
        operationId: 'uploadSession',
        tags,
        summary: 'Import a file',
        description:
          'Imports the body, a transcript (.vtt, .srt, .txt, .json) or a recording, sent with `Content-Type: application/octet-stream`. Query parameters override the file. The same file, or the same `external_id`, returns the existing session with 200.',
        params,
        querystring: UploadQuery,
        response: { 200: AdminSessionTaken, 201: AdminSessionTaken }
      }
    },
    async ({ params: { user_id }, query, body }, reply) => {
      const { answer, created } = await withUpload(uploadFolder, body, query.file, ({ document, warnings, ...ofFile }) => {
        const { external_id: externalId } = query
        const options = { ...ofFile, ...optionsOf(query), ...(externalId !== undefined && { fallbackExternalId: externalId }) }
        return accept(user_id, document, options, warnings)
      })
      return reply.code(created ? 201 : 200).send(answer)
    }
  )

  async function accept(userId: string, document: ImportDocument, options: Omit<ImportOptions, 'timeZone'>, ignored: string[]) {
    const importer = { db, jobs, clock, media, transcribes }
    const timeZone = await findTimeZone(db, userId)
    const { session, status, warnings } = await importConversation(importer, userId, document, { ...options, timeZone }).catch(refuse)
    if (!session) throwNotFound('Session')
    const all = [...ignored, ...warnings]
    return { answer: { ...session, ...(all.length > 0 && { warnings: all }) }, created: status !== 'existing' }
  }
}

function refuse(error: unknown): never {
  if (error instanceof UnreadableDocument) throw invalid(error.message)
  if (error instanceof MediaError)
    throw new ApiError('service_unavailable', 'The recording cannot be stored now; try again', { retryAfter: 30, cause: error })
  throw error
}

function optionsOf({ title, type, timestamp, platform, tag, folder }: z.output<typeof UploadQuery>) {
  return {
    ...(title !== undefined && { title }),
    ...(type && { type }),
    ...(timestamp !== undefined && { timestamp: toDate(timestamp) }),
    ...(platform !== undefined && { platform }),
    ...(tag && { tags: tag }),
    ...(folder && { folders: folder })
  }
}
