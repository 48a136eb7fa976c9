import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { truncate } from 'node:fs/promises'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LIMITS } from '../../../contract/limits.ts'
import { ApiError, invalid, throwNotFound } from '../../../platform/core/api-error.ts'
import { newId } from '../../../platform/core/ids.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { Actor } from '../../../platform/ports/actor.ts'
import { operation } from '../../access/operation.ts'
import { lockUser } from '../../access/queries.ts'
import { giveRoomBack, limitsFor, requireRoom, takeRoom } from '../../access/room.ts'
import type { Needs } from '../../services.ts'
import { detached } from '../detached.ts'
import { atMost, bytesFor, cannotKeep, isCutOff, refuseUnusable, TooLarge, tooLarge } from '../upload.ts'
import { type Checksum, hashing } from './checksum.ts'
import { createFile, measureFile, pathOf, removeFiles } from './files.ts'
import { type Lease, leaseUpload } from './lease.ts'
import { openRoom, settleLength } from './length.ts'
import { readFileName } from './metadata.ts'
import { deleteUpload, findUpload, insertUpload, type UploadRow } from './queries.ts'

type Parts = Needs<'db' | 'clock' | 'partsFolder' | 'diskReserve'>

/** How far an upload has come. */
export interface UploadState {
  id: string
  offset: number
  /** Undefined while the client has not said them. */
  bytes: number | undefined
  metadata: string
  expiresAt: Date
}

/**
 * Begins an upload in parts. Its bytes count as stored from now on, so that it does not fail at its end for want of room; without their number, those
 * that have arrived count.
 */
export const createUpload = operation(
  'createUpload',
  async (
    services: Parts & Needs<'quotas' | 'transcribes'>,
    actor,
    { bytes, metadata }: { bytes: number | undefined; metadata: string }
  ): Promise<UploadState> => {
    const { db, clock, partsFolder } = services
    const { userId } = actor
    const now = clock.now()
    const name = readFileName(metadata)
    refuseUnusable(services, name)
    const max = bytesFor(name)
    if (bytes !== undefined && bytes > max) throw tooLarge(max, 'upload_length')
    const taking = {
      limits: limitsFor(services, actor),
      now,
      field: bytes === undefined ? 'upload_defer_length' : 'upload_length'
    }
    await requireRoom(db, userId, 'bytes_stored', bytes ?? 1, taking)
    const upload = {
      uploadId: newId('upl'),
      name,
      metadata,
      bytes: bytes ?? 0,
      isDeferred: bytes === undefined,
      expiresAt: new Date(now.getTime() + LIMITS.partialUploads.ms)
    }
    await services.diskReserve.require(partsFolder, upload.bytes).catch(cannotKeep)
    await createFile(partsFolder, { userId, ...upload })
    try {
      await db.transaction(async tx => {
        // Creations of one user count one after another.
        await lockUser(tx, userId)
        if (!(await insertUpload(tx, userId, upload, now))) throw tooMany()
        takeRoom(tx, userId, 'bytes_stored', upload.bytes, taking)
      })
    } catch (error) {
      await removeFiles(partsFolder, userId, upload.uploadId)
      throw error
    }
    return { id: upload.uploadId, offset: 0, bytes, metadata, expiresAt: upload.expiresAt }
  }
)

/** Returns how far an upload has come. A request that still writes to it is asked to end, so that the offset holds. */
export const getUpload = operation(
  'getUpload',
  async (services: Parts, actor, uploadId: string): Promise<UploadState> => {
    const { db, partsFolder } = services
    const found = await requireUpload(services, actor, uploadId)
    if (found.sessionId !== null) return stateOf(found, found.bytes)
    if (found.lease !== null)
      await (await leaseUpload(db, actor.userId, uploadId, { yields: true }))[Symbol.asyncDispose]()
    return stateOf(found, await measureFile(partsFolder, found))
  }
)

interface Part {
  offset: number
  bytes: Readable
  announcedBytes: number
  checksum?: Checksum | undefined
  /** The bytes of the whole file, if the request says them. */
  length?: number | undefined
}

/** Appends bytes to an upload. What arrives of a request that breaks off is kept, unless it has a checksum. */
export const appendToUpload = operation(
  'appendToUpload',
  async (
    services: Parts & Needs<'openUploads' | 'quotas'>,
    actor,
    uploadId: string,
    part: Part
  ): Promise<UploadState> => {
    const { db, partsFolder, openUploads, diskReserve } = services
    const { userId } = actor
    await requireUpload(services, actor, uploadId)
    using _place = openUploads(userId, 1)
    await using lease = await leaseUpload(db, userId, uploadId, { yields: true })
    const found = await requireUpload(services, actor, uploadId)
    const arrived = found.sessionId === null ? await measureFile(partsFolder, found) : found.bytes
    if (part.offset !== arrived)
      throw new ApiError('conflict', `${arrived} bytes have arrived; send the bytes after them`, {
        field: 'upload_offset'
      })
    const { length } = part
    const limits = limitsFor(services, actor)
    const upload =
      length === undefined ? found : await settleLength(services, found, lease, { length, arrived, limits })
    const room = upload.isDeferred ? openRoom(services, upload, lease, limits) : undefined
    if (!room && part.announcedBytes > upload.bytes - arrived) throw tooLong()
    await room?.take(arrived + part.announcedBytes)
    await diskReserve.require(partsFolder, part.announcedBytes).catch(cannotKeep)
    const guards = [room?.guard(arrived) ?? atMost(upload.bytes - arrived), diskReserve.guard(partsFolder)]
    await write(pathOf(partsFolder, upload), part, guards, lease)
    return stateOf(upload, await measureFile(partsFolder, upload))
  }
)

async function write(
  path: string,
  { offset, bytes, checksum }: { offset: number; bytes: Readable; checksum?: Checksum | undefined },
  limits: Transform[],
  { signal }: Lease
) {
  const arriving = detached(bytes)
  const digest = hashing(checksum)
  const file = createWriteStream(path, { flags: 'r+', start: offset })
  try {
    await pipeline([arriving, ...limits, digest.stream, file], { signal })
    digest.verify()
  } catch (error) {
    arriving.destroy()
    // A last write may be in flight, and the next request must find the file at rest.
    if (!file.closed) await once(file, 'close')
    if (checksum !== undefined) await truncate(path, offset)
    if (error instanceof TooLarge) throw tooLong()
    if (signal.aborted) throw new ApiError('conflict', 'Another request sends this upload now')
    if (isCutOff(error)) throw invalid({ problem: 'The bytes did not arrive whole', expected: 'the rest' })
    cannotKeep(error)
  }
}

/** Ends an upload before it is finished, or before it is made a session. */
export const cancelUpload = operation(
  'cancelUpload',
  async (services: Parts, actor, uploadId: string): Promise<void> => {
    const { db, partsFolder } = services
    const { userId } = actor
    await requireUpload(services, actor, uploadId)
    await using _lease = await leaseUpload(db, userId, uploadId, { yields: true })
    await dropUpload(db, userId, uploadId)
    await removeFiles(partsFolder, userId, uploadId)
  }
)

/** Deletes an upload, and gives back the room that its bytes took. */
export async function dropUpload(db: Db, userId: string, uploadId: string) {
  await db.transaction(async tx => {
    const dropped = await deleteUpload(tx, userId, uploadId)
    if (dropped?.sessionId === null) giveRoomBack(tx, userId, 'bytes_stored', dropped.bytes)
  })
}

/** An upload of another user, an unknown and an expired one are all the same. */
export async function requireUpload({ db, clock }: Parts, { userId }: Actor, uploadId: string, field?: string) {
  return (await findUpload(db, userId, uploadId, clock.now())) ?? throwNotFound('Upload', { field })
}

function stateOf({ uploadId, bytes, isDeferred, metadata, expiresAt }: UploadRow, offset: number): UploadState {
  return { id: uploadId, offset, bytes: isDeferred ? undefined : bytes, metadata, expiresAt }
}

function tooLong() {
  return new ApiError('invalid_request', 'The bytes exceed the Upload-Length of the upload', { status: 413 })
}

function tooMany() {
  const problem = `you have ${LIMITS.partialUploads.perUser} unfinished uploads; finish or cancel one first`
  return new ApiError('limit_exceeded', problem, { field: 'upload_length' })
}
