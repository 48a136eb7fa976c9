import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { ADMIN_EXAMPLES } from '../contract/admin/examples.ts'
import { ADMIN_REQUESTS } from '../contract/admin/request-examples.ts'
import { AdminSessionTaken } from '../contract/admin/session.ts'
import { UserPath } from '../contract/admin/user.ts'
import { ImportDocument } from '../contract/import-document.ts'
import { ignoredKeys } from '../contract/import-keys.ts'
import { LIMITS } from '../contract/limits.ts'
import { UploadQuery } from '../contract/session-import.ts'
import { invalid, throwNotFound } from '../core/api-error.ts'
import { acceptDocument, acceptUpload } from '../ingest/accept.ts'
import type { ImportResult } from '../ingest/import.ts'
import { readUpload, storeUpload, withUploadFolder } from '../ingest/upload.ts'
import type { Services } from '../services.ts'

const tags = ['Sessions']
const example = {
  ...ADMIN_EXAMPLES.session,
  state: 'processing',
  summary: null,
  action_items: [],
  action_items_version: 0
}

export const adminImportRoutes: FastifyPluginAsyncZod<Services> = async (app, services) => {
  const { db, uploadFolder } = services
  // Writes an upload to disk as it arrives.
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))

  app.post(
    '/users/:user_id/sessions',
    {
      bodyLimit: LIMITS.documentBytes,
      config: { maxValues: LIMITS.documentValues, request: ADMIN_REQUESTS.session, repairsText: true, example },
      schema: {
        operationId: 'createSession',
        tags,
        summary: 'Import a conversation',
        description:
          'Imports a document and processes it in the background: `state` shows the progress, and `session.completed` is recorded at the end. A second document with the same `external_id` changes nothing and returns the existing session with 200. `warnings` names ignored parts, such as unknown keys.',
        params: UserPath,
        body: ImportDocument,
        response: { 200: AdminSessionTaken, 201: AdminSessionTaken }
      },
      // After this the body has known keys only.
      preValidation: async request => {
        request.ignored = ignoredKeys(request.body)
      }
    },
    async ({ params: { user_id }, body, ignored = [] }, reply) => {
      const result = await acceptDocument(services, user_id, body, { fallbackTitle: 'Untitled' }, run =>
        db.transaction(run)
      )
      return answer(reply, result, ignored)
    }
  )

  app.post(
    '/users/:user_id/sessions/upload',
    {
      handlerTimeout: LIMITS.uploadMs,
      config: { example, content: { 'application/octet-stream': {} } },
      schema: {
        operationId: 'uploadSession',
        tags,
        summary: 'Import a file',
        description:
          'Imports the body, a transcript (.vtt, .srt, .txt, .md, .docx, .tsv, .csv, .sbv, .ttml, or the .json of a transcription tool) or a recording, sent with `Content-Type: application/octet-stream`. Query parameters override the file. The same file, or the same `external_id`, returns the existing session with 200.',
        params: UserPath,
        querystring: UploadQuery,
        response: { 200: AdminSessionTaken, 201: AdminSessionTaken }
      }
    },
    async ({ params: { user_id }, query, body }, reply) => {
      if (!(body instanceof Readable))
        throw invalid({ problem: 'Send the file as the body, with Content-Type: application/octet-stream' })
      return await withUploadFolder(uploadFolder, async folder => {
        const path = join(folder, query.file)
        await storeUpload(path, body)
        const entry = await readUpload(path)
        return answer(
          reply,
          await acceptUpload(services, user_id, entry, query, run => db.transaction(run)),
          entry.warnings
        )
      })
    }
  )
}

function answer(reply: FastifyReply, { session, status, warnings }: ImportResult, ignored: string[]) {
  if (!session) throwNotFound('Session')
  const all = [...ignored, ...warnings]
  reply.code(status === 'existing' ? 200 : 201)
  return { ...session, ...(all.length > 0 && { warnings: all }) }
}
