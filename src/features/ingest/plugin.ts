import { dirname } from 'node:path/posix'
import { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { ignoredKeys } from '../../contract/import-keys.ts'
import { INGEST_ROUTES as routes } from '../../contract/routes/ingest.ts'
import { SUMMARIZE_ROUTES } from '../../contract/routes/summarize.ts'
import type { UploadSessionQuery } from '../../contract/session-import.ts'
import { invalid } from '../../platform/core/api-error.ts'
import { BEGUN_HEADERS, beginAnswer } from '../../platform/net/begun-answer.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import { isArchiveName } from '../exports/manifest.ts'
import type { Services } from '../services.ts'
import { sessionPath } from '../sessions/accepted.ts'
import { beginLibraryImport, type LibraryImport } from './library/whole-library.ts'
import { type Imported, importDocument, importTurn, insertImport, stageUpload } from './operations.ts'
import { FORM_BYTES, FORM_OPTIONS, readForm } from './read-form.ts'
import { retrySession } from './retry.ts'
import { getSummaryRequest, summarizeSession } from './summary-requests.ts'
import { openUpload, type Upload } from './upload.ts'
import { beginUploadedImport, stageParts } from './uploads/import-upload.ts'

interface Options {
  services: Services
}

/** Imports over HTTP: for tokens below `/v1`, and for the operator below a user's path. */
export const ingestPlugin: FastifyPluginAsyncZod<Options> = async (app, { services }) => {
  app.route({
    ...routes.createSession,
    // After this the body has known keys only.
    preValidation: async request => {
      request.ignored ??= ignoredKeys(request.body)
    },
    handler: ({ actor, body: document, ignored: warnings = [] }, reply) =>
      reply.answerOnce(
        document,
        async services =>
          answerOf(app.prefix, actor, await importDocument(services, actor, { document, warnings, ...UNTITLED })),
        { turn: importTurn(actor.userId) }
      )
  })

  await app.register(uploadPlugin, { services })

  app.route({
    ...SUMMARIZE_ROUTES.summarizeSession,
    handler: async ({ actor, params, body }, reply) => {
      const request = await summarizeSession(services, actor, params.id, body)
      reply.code(202)
      return request
    }
  })

  app.route({
    ...SUMMARIZE_ROUTES.getSummaryRequest,
    handler: ({ actor, params }) => getSummaryRequest(services, actor, params.id)
  })

  app.route({
    ...routes.retrySession,
    handler: ({ actor, params: { id } }, reply) =>
      reply.answerOnce(undefined, async services => {
        const body = await retrySession(services, actor, id)
        return { status: 202, location: sessionPath(app.prefix, actor, id), body }
      })
  })
}

const uploadPlugin: FastifyPluginAsyncZod<Options> = async (app, { services }) => {
  await app.register(multipart, FORM_OPTIONS)
  // Accepts the bytes of a file under any content type: a browser sends a .json file as JSON.
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  app.route({
    ...routes.uploadSession,
    handler: async (request, reply) => {
      const { actor, query } = request
      if (query.upload !== undefined) return await importParts(request, reply, query.upload)
      await using upload = openUpload(services, actor, announcedBytesOf(request))
      const { file, fields } = await receive(request, upload, query)
      if (isArchiveName(file.name)) {
        const { file: _, ...others } = { ...fields, ...query }
        return await sendImport(reply, app.prefix, actor, await beginLibraryImport(services, actor, file.path, others))
      }
      await using staged = await stageUpload(services, actor, file, { ...fields, ...query })
      return await reply.answerOnce(
        [file.name, staged.digest, fields],
        async services => answerOf(app.prefix, actor, await insertImport(services, staged)),
        { turn: staged.turn }
      )
    }
  })

  /** A request for a file that has arrived in parts. */
  async function importParts(request: UploadRequest, reply: FastifyReply, uploadId: string) {
    const { actor, query } = request
    if (query.file !== undefined || request.body instanceof Readable || request.isMultipart())
      throw invalid({ field: 'upload', expected: 'it without a body and without file' })
    const { upload: _, ...fields } = query
    await using library = await beginUploadedImport(services, actor, uploadId, fields)
    if (library) return await sendImport(reply, app.prefix, actor, library)
    await using staged = await stageParts(services, actor, uploadId, query)
    const answer = await reply.answerOnce(
      undefined,
      async services => answerOf(app.prefix, actor, await insertImport(services, staged)),
      { turn: staged.turn }
    )
    await staged.finish()
    return answer
  }
}

/** Imports a library while its answer has begun. It is in the list of sessions. */
async function sendImport(reply: FastifyReply, prefix: string, actor: Actor, library: LibraryImport) {
  const { stream, done } = beginAnswer(library.run)
  reply.headers({ ...BEGUN_HEADERS, location: dirname(sessionPath(prefix, actor, 'any')) }).send(stream)
  // Its status was sent.
  await done.catch((error: unknown) => reply.log.error({ err: error }, 'import of a library failed'))
  return reply
}

type UploadRequest = FastifyRequest & { query: typeof UploadSessionQuery._zod.output }

const UNTITLED = { fallbackTitle: 'Untitled' }

/** Stores the file of a request. */
async function receive(
  request: FastifyRequest,
  upload: Upload,
  { file: name, external_id: externalId }: { file?: string | undefined; external_id?: string | undefined }
) {
  if (request.isMultipart())
    return await readForm(request.parts(), upload, { name, externalId }).finally(() => request.raw.unpipe().resume())
  if (name === undefined) throwUnnamed()
  if (!(request.body instanceof Readable)) throw invalid({ problem: WRONG_BODY })
  return { file: await upload.store(name, request.body, externalId), fields: {} }
}

/** The bytes that the file of a request has at least. */
function announcedBytesOf(request: FastifyRequest) {
  return Number(request.headers['content-length'] ?? 0) - (request.isMultipart() ? FORM_BYTES : 0)
}

function throwUnnamed(): never {
  throw invalid({
    field: 'file',
    expected: 'the name of the file in the query, such as ?file=weekly.vtt, or the file as a form'
  })
}

/** Builds the answer from the result of the import: a read after the commit could fail although the session is stored. */
function answerOf(prefix: string, actor: Actor, { session, created }: Imported) {
  return { status: created ? 202 : 200, location: sessionPath(prefix, actor, session.id), body: session }
}

const WRONG_BODY =
  'Send the file as the body with Content-Type: application/octet-stream, or as multipart/form-data, for example with curl -F file=@weekly.vtt'
