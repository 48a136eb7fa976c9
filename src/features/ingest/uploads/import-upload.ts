import { ApiError } from '../../../platform/core/api-error.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { StoredFile } from '../../../platform/ports/reader.ts'
import { operation } from '../../access/operation.ts'
import { giveRoomBack } from '../../access/room.ts'
import { isArchiveName } from '../../exports/manifest.ts'
import { findAdminSession } from '../../library/admin-sessions.ts'
import type { Needs } from '../../services.ts'
import { toAccepted } from '../../sessions/accepted.ts'
import type { LibraryImporter } from '../library/archived-session.ts'
import { beginLibraryImport, type LibraryImport } from '../library/whole-library.ts'
import {
  type Imported,
  type Importer,
  importTurn,
  type StagedUpload,
  stageFile,
  type UploadFields
} from '../operations.ts'
import { measureFile, nameByContent, pathOf, removeFiles } from './files.ts'
import { type Lease, leaseUpload } from './lease.ts'
import { dropUpload, requireUpload } from './operations.ts'
import { nameSession, type UploadRow } from './queries.ts'

type Staging = Importer & Needs<'reader' | 'sound' | 'partsFolder' | 'diskReserve'>

/** An upload whose session is staged. After its commit `finish` removes the bytes. */
interface StagedParts extends StagedUpload {
  finish(): Promise<void>
  /** The file that has arrived. */
  file: StoredFile
}

/**
 * Makes a session of a finished upload, and of the transcript beside it if it is a recording. Its file becomes the recording without being copied. A
 * repetition finds the session, and a file that cannot be imported is removed.
 */
export const stageParts = operation(
  'uploadSession',
  async (
    services: Staging,
    actor,
    uploadId: string,
    fields: UploadFields,
    beside?: StoredFile
  ): Promise<StagedParts> => {
    const { db, partsFolder } = services
    const { userId } = actor
    await requireUpload(services, actor, uploadId, 'upload')
    await using stack = new AsyncDisposableStack()
    const lease = stack.use(await leaseUpload(db, userId, uploadId, { yields: false }))
    const upload = await requireUpload(services, actor, uploadId, 'upload')
    const finish = () => removeFiles(partsFolder, userId, uploadId)
    const { sessionId } = upload
    if (sessionId !== null) {
      const insert = (tx: Db) => findImported(tx, userId, sessionId)
      const disposing = stack.move()
      const file = { path: pathOf(partsFolder, upload), name: upload.name }
      const turn = importTurn(userId)
      return { digest: uploadId, turn, file, insert, finish, [Symbol.asyncDispose]: () => disposing.disposeAsync() }
    }
    requireFinished(upload, await measureFile(partsFolder, upload))
    const file = await nameByContent({ path: pathOf(partsFolder, upload), name: upload.name })
    const staged = stack.use(
      await stageFile(services, actor, file, fields, { reservedBytes: upload.bytes, beside }).catch(async error => {
        if (isUnusable(error)) await dropUpload(db, userId, uploadId).then(finish)
        throw error
      })
    )
    const disposing = stack.move()
    return {
      digest: uploadId,
      file,
      turn: staged.turn,
      insert: tx => insertOnce(tx, upload, lease, staged),
      finish,
      [Symbol.asyncDispose]: () => disposing.disposeAsync()
    }
  }
)

/**
 * Begins to import a finished upload that is an archive of a library. It is removed after that, as is one that cannot be imported. Nobody else imports
 * it until the disposal. Returns undefined for any other upload.
 */
export const beginUploadedImport = operation(
  'uploadSession',
  async (
    services: LibraryImporter & Staging & Needs<'openUploads'>,
    actor,
    uploadId: string,
    fields: object
  ): Promise<(LibraryImport & AsyncDisposable) | undefined> => {
    const { db, partsFolder } = services
    const { userId } = actor
    const { name } = await requireUpload(services, actor, uploadId, 'upload')
    if (!isArchiveName(name)) return undefined
    await using stack = new AsyncDisposableStack()
    // An import takes as long as an upload, so it takes a place of one.
    stack.use(services.openUploads(userId, 1))
    stack.use(await leaseUpload(db, userId, uploadId, { yields: false }))
    const upload = await requireUpload(services, actor, uploadId, 'upload')
    requireFinished(upload, await measureFile(partsFolder, upload))
    const remove = async () => {
      await dropUpload(db, userId, uploadId)
      await removeFiles(partsFolder, userId, uploadId)
    }
    const begun = await beginLibraryImport(services, actor, pathOf(partsFolder, upload), fields).catch(async error => {
      if (isUnusable(error)) await remove()
      throw error
    })
    const held = stack.move()
    return {
      ...begun,
      async run(onSession) {
        const imported = await begun.run(onSession)
        await remove()
        return imported
      },
      [Symbol.asyncDispose]: () => held.disposeAsync()
    }
  }
)

/** The transaction that inserts the session takes the room that the upload gives back. */
async function insertOnce(tx: Db, { userId, uploadId, bytes }: UploadRow, lease: Lease, staged: StagedUpload) {
  giveRoomBack(tx, userId, 'bytes_stored', bytes)
  const imported = await staged.insert(tx)
  if (lease.signal.aborted || !(await nameSession(tx, userId, uploadId, lease.id, imported.session.id)))
    throw new ApiError('service_unavailable', 'The upload could not be imported now; try again')
  return imported
}

async function findImported(tx: Db, userId: string, sessionId: string): Promise<Imported> {
  return { session: toAccepted(await findAdminSession(tx, userId, sessionId)), created: false }
}

function requireFinished({ bytes, isDeferred }: UploadRow, arrived: number) {
  if (isDeferred) {
    const problem = `${arrived} bytes have arrived, and its length is not known`
    throw new ApiError('conflict', problem, { field: 'upload', expected: 'Upload-Length to /v1/uploads first' })
  }
  if (arrived === bytes) return
  const problem = `${arrived} of ${bytes} bytes have arrived, so ${bytes - arrived} are missing`
  throw new ApiError('conflict', problem, { field: 'upload', expected: 'the rest to /v1/uploads first' })
}

function isUnusable(error: unknown) {
  return error instanceof ApiError && error.code === 'invalid_request' && error.field === 'file'
}
