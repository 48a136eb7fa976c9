import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { PAGE_UPLOAD_ROUTES } from '../../../contract/routes/uploads.ts'
import { FormUploadQuery } from '../../../contract/session-import.ts'
import { insertPair } from '../../../features/ingest/insert-pair.ts'
import { insertImport } from '../../../features/ingest/operations.ts'
import { FORM_BYTES, readForm } from '../../../features/ingest/read-form.ts'
import { openUpload } from '../../../features/ingest/upload.ts'
import { beginUploadedImport, stageParts } from '../../../features/ingest/uploads/import-upload.ts'
import { uploadPartsPlugin } from '../../../features/ingest/uploads/plugin.ts'
import { FormParts } from '../form-parts.ts'
import { importedPage } from '../imported-page.ts'
import { importView } from '../library-view.ts'
import { Modified } from '../modified.ts'
import { type Console, NONE } from '../open-console.ts'
import { type OwnFields, readParts, Short } from '../own-fields.ts'
import { pathId, pathParams } from '../path-params.ts'
import { readTags } from '../tags.ts'
import { UPLOAD_PATH } from './upload.ts'

const Upload = pathParams({ id: pathId('upl') })

const Fields = z.preprocess(readFields, FormUploadQuery.extend({ modified: Modified, answer: Short }))

/** Routes for the script of the page of uploads: the tus protocol behind the cookie, and the import of a file that has arrived, also with its transcript. */
export async function uploadParts(app: FastifyInstance, { services, user, admitScript }: Console) {
  user.form(
    '/uploads/:id/import',
    { ...NONE, params: Upload, body: Fields },
    async (visit, { params: { id }, body }) => {
      const { actor } = visit.visitor
      const { modified, answer, ...fields } = body
      const library = await beginUploadedImport(services, actor, id, fields)
      if (library) return importView(visit, library, library)
      await using staged = await stageParts(services, actor, id, { ...fields, modified })
      const importAll = async () => {
        const imported = await insertImport(services, staged)
        await staged.finish()
        return imported
      }
      return await importedPage(visit, importAll, { isShort: answer !== undefined })
    },
    { takesLong: true, tokenOf: UPLOAD_PATH }
  )

  user.form(
    '/uploads/:id/transcript',
    { ...NONE, params: Upload, body: FormParts },
    async (visit, { params: { id }, body: { rest, bytes } }) => {
      const { actor } = visit.visitor
      await using upload = openUpload(services, actor, bytes - FORM_BYTES)
      const own: OwnFields = { modified: undefined, isShort: false }
      const { file, fields } = await readForm(readParts(rest, own), upload, {})
      await using staged = await stageParts(services, actor, id, { ...fields, modified: own.modified }, file)
      const importAll = async () => {
        const imported = await insertPair(services, actor, staged, [staged.file, file])
        await staged.finish()
        return imported
      }
      return await importedPage(visit, importAll, own)
    },
    { parts: true, tokenOf: UPLOAD_PATH }
  )

  app.addHook('onRequest', (request, reply) => admitScript(UPLOAD_PATH, request, reply))
  // A recording needs no speech model if its transcript comes with it.
  await app.register(uploadPartsPlugin, { services: { ...services, transcribes: true }, routes: PAGE_UPLOAD_ROUTES })
}

/** The fields that are filled in. The API takes a field for each tag, people write them into one. */
function readFields(sent: unknown) {
  const { tag, ...fields } = Object.fromEntries(Object.entries(Object(sent)).filter(([, value]) => value !== ''))
  return tag === undefined ? fields : { ...fields, tag: readTags(String(tag)) }
}
