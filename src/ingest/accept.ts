import type { z } from 'zod'
import type { ImportDocument } from '../contract/import-document.ts'
import { toDate } from '../contract/instant.ts'
import type { FormUploadQuery } from '../contract/session-import.ts'
import { ApiError } from '../core/api-error.ts'
import { MediaError } from '../media/media.ts'
import { findTimeZone } from '../sessions/queries.ts'
import type { ImportOptions } from './document-fields.ts'
import type { Entry } from './files.ts'
import { type Commit, type Importer, importWithin } from './import.ts'

/** Imports a document that a request sent. Throws what its client may see. */
export async function acceptDocument<T>(
  importer: Importer,
  userId: string,
  document: ImportDocument,
  options: Omit<ImportOptions, 'timeZone'>,
  commit: Commit<T>
): Promise<T> {
  const timeZone = await findTimeZone(importer.db, userId)
  return await importWithin(importer, userId, document, { ...options, timeZone }, commit).catch(refuse)
}

/** Imports an uploaded file. Fields of the request override those of the file. */
export async function acceptUpload<T>(
  importer: Importer,
  userId: string,
  { document, warnings: _, ...ofFile }: Entry,
  sent: z.output<typeof FormUploadQuery>,
  commit: Commit<T>
): Promise<T> {
  return await acceptDocument(importer, userId, document, { ...ofFile, ...optionsOfUpload(sent) }, commit)
}

function refuse(error: unknown): never {
  if (error instanceof MediaError)
    throw new ApiError('service_unavailable', 'The recording cannot be stored now; try again', {
      retryAfter: 30,
      cause: error
    })
  throw error
}

function optionsOfUpload({
  external_id: externalId,
  title,
  type,
  timestamp,
  platform,
  tag,
  folder
}: z.output<typeof FormUploadQuery>) {
  return {
    externalId,
    title,
    type,
    timestamp: timestamp === undefined ? undefined : toDate(timestamp),
    platform,
    tags: tag,
    folders: folder
  }
}
