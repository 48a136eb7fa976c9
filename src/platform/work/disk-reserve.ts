import { statfs } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { ApiError } from '../core/api-error.ts'
import { findExisting } from './existing-folder.ts'

/** Keeps a part of a disk free: the database and its log often share it with uploads, and a database without room stops. */
export interface DiskReserve {
  /** Returns whether a file of these bytes would leave the reserve of the folder's disk alone. */
  hasRoom(folder: string, bytes: number): Promise<boolean>
  /** Throws service_unavailable if it would not. */
  require(folder: string, bytes: number): Promise<void>
  /** A stream that passes bytes while the folder's disk has its reserve, and then fails as `require` does. */
  guard(folder: string): Transform
}

const MIB = 1024 ** 2
const DEFAULT_MIB = 1024
/** The default reserve of a small disk is this part of it. */
const DEFAULT_PART = 0.1

/** The time for which a measurement of a disk holds. The bytes that pass meanwhile are subtracted from it. */
const MEASURED_MS = 1_000

/** Opens the reserve of some mebibytes, none for 0. Unless set it is 1 GiB, or a tenth of a smaller disk. */
export function openDiskReserve(mebibytes?: number): DiskReserve {
  /** The bytes that a folder's disk can still take. */
  const measured = new Map<string, { room: number; until: number }>()

  async function measure(folder: string) {
    const { bavail, bsize, blocks } = await statfs(await findExisting(folder))
    const reserve = mebibytes ?? Math.min(DEFAULT_MIB, (blocks * bsize * DEFAULT_PART) / MIB)
    const now = { room: bavail * bsize - reserve * MIB, until: performance.now() + MEASURED_MS }
    measured.set(folder, now)
    return now
  }

  async function hasRoom(folder: string, bytes: number) {
    return mebibytes === 0 || (await measure(folder)).room >= bytes
  }

  async function take(folder: string, bytes: number) {
    if (mebibytes === 0) return
    const known = measured.get(folder)
    const disk = known && performance.now() < known.until ? known : await measure(folder)
    disk.room -= bytes
    if (disk.room < 0) throw almostFull(folder)
  }

  return {
    hasRoom,
    async require(folder, bytes) {
      if (!(await hasRoom(folder, bytes))) throw almostFull(folder)
    },
    guard: folder =>
      new Transform({
        transform(chunk: Buffer, _encoding, done) {
          take(folder, chunk.length).then(() => done(null, chunk), done)
        }
      })
  }
}

function almostFull(folder: string) {
  return new ApiError('service_unavailable', 'The disk of this server is almost full; try again later', {
    retryAfter: 300,
    cause: new Error(`The disk of ${folder} has no room beside what DISK_RESERVE_MIB leaves free`)
  })
}
