import type { FormUploadQuery } from '../../contract/session-import.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import { operation } from '../access/operation.ts'
import type { Needs } from '../services.ts'
import type { ImportSource } from './document-fields.ts'
import { type Imported, type Importer, type StagedImport, stageImport } from './stage-import.ts'
import { readUpload } from './upload.ts'

/** Imports a conversation: session, transcript and job in one transaction. A second import changes nothing and finds the session. */
export const importDocument = operation(
  'createSession',
  async (services: Importer, actor, source: ImportSource): Promise<Imported> => {
    await using staged = await stageImport(services, actor, source)
    return await insertImport(services, staged)
  }
)

export interface StagedUpload extends StagedImport {
  /** The digest of the file. */
  digest: string
}

/** Reads an uploaded file and stores its recording. Fields of the request override those of the file. */
export const stageUpload = operation(
  'uploadSession',
  async (
    services: Importer & Needs<'reader' | 'sound'>,
    actor,
    path: string,
    fields: typeof FormUploadQuery._zod.output
  ): Promise<StagedUpload> => {
    return await stageFile(services, actor, path, fields)
  }
)

/** The same for a file that has `reservedBytes` of room already. */
export async function stageFile(
  services: Importer & Needs<'reader' | 'sound'>,
  actor: Actor,
  path: string,
  fields: typeof FormUploadQuery._zod.output,
  { reservedBytes = 0 } = {}
): Promise<StagedUpload> {
  const entry = await readUpload(services, actor, path)
  const staged = await stageImport(services, actor, { ...entry, ...overridesOf(fields), isOurs: true, reservedBytes })
  return { ...staged, digest: entry.fallbackExternalId }
}

export async function insertImport({ db }: { db: Db }, staged: StagedImport): Promise<Imported> {
  return await db.transaction(tx => staged.insert(tx))
}

function overridesOf({
  external_id: externalId,
  title,
  type,
  timestamp,
  platform,
  tag,
  folder
}: typeof FormUploadQuery._zod.output) {
  return {
    externalId,
    title,
    type,
    timestamp,
    platform,
    tags: tag,
    folders: folder
  }
}
