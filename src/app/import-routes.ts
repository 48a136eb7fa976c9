import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { APP_EXAMPLES } from '../contract/app/examples.ts'
import { APP_REQUESTS } from '../contract/app/request-examples.ts'
import { AppSessionTaken, UploadQuery } from '../contract/app/session.ts'
import { ImportDocument, UnreadableDocument } from '../contract/import-document.ts'
import { ignoredKeys } from '../contract/import-keys.ts'
import { toDate } from '../contract/instant.ts'
import { LIMITS } from '../contract/limits.ts'
import { ApiError, invalid, notFound } from '../core/api-error.ts'
import { acceptConversation, type ImportOptions } from '../ingest/accept.ts'
import { MediaError } from '../media/media.ts'
import { findTimeZone } from '../sessions/queries.ts'
import type { AppDeps } from './deps.ts'
import { user_id } from './params.ts'
import { LONGEST_UPLOAD_MS, removeAbandonedUploads, withUpload } from './upload.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What of the body is ignored, a sentence each. */
    ignored?: string[]
  }
}

const tags = ['Sessions']
const params = z.object({ user_id })
const example = { ...APP_EXAMPLES.session, state: 'processing', summary: null, action_items: [], action_items_version: 0 }

export const importRoutes: FastifyPluginAsyncZod<AppDeps> = async (app, deps) => {
  const { db, clock, jobs, media, transcribes, uploadFolder } = deps
  app.addHook('onReady', () => removeAbandonedUploads(uploadFolder, clock.now()))
  // The bytes of a file go to disk as they come.
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))

  app.post(
    '/users/:user_id/sessions',
    {
      bodyLimit: LIMITS.documentBytes,
      config: {
        maxValues: LIMITS.documentValues,
        request: APP_REQUESTS.session,
        repairsText: true,
        errors: ['invalid_request', 'not_found'],
        example
      },
      schema: {
        operationId: 'createSession',
        tags,
        summary: 'Take a conversation in',
        description:
          'An import document. It is processed in the background: `state` says how far it is, and `session.completed` when it is done. A second document with the same `external_id` changes nothing and is answered with 200 and the session there is. `warnings` names what was ignored, such as keys that a document may not have.',
        params,
        body: ImportDocument,
        response: { 200: AppSessionTaken, 201: AppSessionTaken }
      },
      // Afterwards the body has only the keys that are known.
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
        summary: 'Take a file in',
        description:
          'A transcript (.vtt, .srt, .txt, .json) or a recording, as the body, with `Content-Type: application/octet-stream`. What the query says wins over what the file says. The same file, or the same `external_id`, is answered with 200 and the session there is.',
        params,
        querystring: UploadQuery,
        response: { 200: AppSessionTaken, 201: AppSessionTaken }
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
    const { session, status, warnings } = await acceptConversation(importer, userId, document, { ...options, timeZone }).catch(refuse)
    if (!session) throw notFound('Session')
    const all = [...ignored, ...warnings]
    return { answer: { ...session, ...(all.length > 0 && { warnings: all }) }, created: status !== 'existing' }
  }
}

function refuse(fault: unknown): never {
  if (fault instanceof UnreadableDocument) throw invalid(fault.message)
  if (fault instanceof MediaError)
    throw new ApiError('service_unavailable', 'The recording cannot be stored now; try again', { retryAfter: 30, cause: fault })
  throw fault
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
