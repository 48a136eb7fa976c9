import { Transform } from 'node:stream'
import { ApiError, invalid } from '../../../platform/core/api-error.ts'
import { findRoom, giveRoomBack, type Taking, takeRoom } from '../../access/room.ts'
import type { Needs } from '../../services.ts'
import { bytesFor, tooLarge } from '../upload.ts'
import type { Lease } from './lease.ts'
import { saveLength, type UploadRow } from './queries.ts'

/** An upload of unknown length takes room ahead of its bytes, so that not every one of its chunks is a transaction. */
const AHEAD_BYTES = 8 * 1024 ** 2

type Lengths = Needs<'db' | 'clock'>

/** Says how long an upload is that began without a length. Once said, a length stays; the same one may be repeated. */
export async function settleLength(
  services: Lengths,
  upload: UploadRow,
  lease: Lease,
  { length, arrived, limits }: { length: number; arrived: number; limits: Taking['limits'] }
): Promise<UploadRow> {
  const field = 'upload_length'
  if (!upload.isDeferred) {
    if (length === upload.bytes) return upload
    throw invalid({ field, problem: `the upload has ${upload.bytes} bytes, and keeps its length` })
  }
  if (length < arrived) throw invalid({ field, expected: `at least ${arrived}, because as many bytes have arrived` })
  const max = bytesFor(upload.name)
  if (length > max) throw tooLarge(max, field)
  return await resize(services, upload, lease, { bytes: length, isDeferred: false }, { limits, field })
}

/** Takes room for the bytes of an upload of unknown length as they arrive. */
export function openRoom(services: Lengths, upload: UploadRow, lease: Lease, limits: Taking['limits']) {
  let taken = upload
  const max = bytesFor(upload.name)

  /** Takes room up to so many bytes of the file, and for some more if there is. */
  async function take(bytes: number, aheadBytes = 0) {
    if (bytes <= taken.bytes) return
    if (bytes > max) throw tooLarge(max, 'upload_offset')
    const taking = { limits, now: services.clock.now() }
    const room = aheadBytes > 0 ? await findRoom(services.db, upload.userId, 'bytes_stored', taking) : 0
    const ahead = Math.min(bytes + aheadBytes, taken.bytes + room, max)
    taken = await resize(services, taken, lease, { bytes: Math.max(bytes, ahead), isDeferred: true }, { limits })
  }

  return {
    take,
    /** Passes the bytes after the first `arrived` ones when there is room for them. */
    guard(arrived: number) {
      let seen = arrived
      return new Transform({
        transform(chunk: Buffer, _encoding, done) {
          seen += chunk.length
          take(seen, AHEAD_BYTES).then(() => done(null, chunk), done)
        }
      })
    }
  }
}

async function resize(
  services: Lengths,
  upload: UploadRow,
  lease: Lease,
  length: Pick<UploadRow, 'bytes' | 'isDeferred'>,
  refusal: Pick<Taking, 'limits' | 'field'>
): Promise<UploadRow> {
  const { userId, uploadId } = upload
  const taking = { ...refusal, now: services.clock.now() }
  await services.db.transaction(async tx => {
    if (!(await saveLength(tx, userId, uploadId, lease.id, length)))
      throw new ApiError('conflict', 'Another request sends this upload now')
    const grown = length.bytes - upload.bytes
    if (grown < 0) giveRoomBack(tx, userId, 'bytes_stored', -grown)
    else takeRoom(tx, userId, 'bytes_stored', grown, taking)
  })
  return { ...upload, ...length }
}
