import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { errorCodes } from 'fastify'
import { LIMITS } from '../../../contract/limits.ts'
import { ApiError, invalid } from '../../../platform/core/api-error.ts'
import { codeOf } from '../../../platform/core/error-code.ts'
import type { DiskReserve } from '../../../platform/work/disk-reserve.ts'

/** Larger bodies are written to disk as they arrive, and read by another process. A smaller one takes at most 30 ms. */
export const INLINE_BYTES = LIMITS.openBodies.above

/** A body in memory, or at a path on disk until it is disposed of. */
interface ArrivedBody extends AsyncDisposable {
  bytes: Buffer
  path?: string
}

interface Arrival {
  /** The largest body that the route takes. */
  limit: number
  folder: string
  diskReserve: DiskReserve
  /** Takes bytes of the budget of open bodies; throws if there are none. */
  reserve: (bytes: number) => Disposable
}

/** Receives a body, of which at most INLINE_BYTES stay in memory. */
export async function receiveBody(
  payload: IncomingMessage,
  { limit, folder, diskReserve, reserve }: Arrival
): Promise<ArrivedBody> {
  const { 'content-length': announced } = payload.headers
  const length = announced === undefined ? undefined : Number(announced)
  if (length !== undefined && length > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
  const stack = new AsyncDisposableStack()
  let chunks: Buffer[] = []
  let arrived = 0
  let path: string | undefined
  let file: FileHandle | undefined
  try {
    // Destroying the stream would close the connection, and the client would lose the answer.
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      arrived += chunk.length
      if (arrived > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
      chunks.push(chunk)
      if (arrived <= INLINE_BYTES) continue
      if (!file) {
        stack.use(reserve(length ?? limit))
        await diskReserve.require(folder, length ?? limit)
        ;({ path, file } = await createFile(folder, stack))
      }
      await file.writev(chunks)
      chunks = []
    }
    await file?.close()
  } catch (error) {
    await file?.close().catch(() => {})
    await stack.disposeAsync()
    throw toRefusal(error)
  }
  if (length !== undefined && length !== arrived) {
    await stack.disposeAsync()
    throw new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH()
  }
  return {
    bytes: Buffer.concat(chunks),
    ...(path !== undefined && { path }),
    [Symbol.asyncDispose]: () => stack.disposeAsync()
  }
}

async function createFile(folder: string, stack: AsyncDisposableStack) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `upload-${randomUUID()}`)
  const file = await open(path, 'wx', 0o600)
  stack.defer(() => rm(path, { force: true }))
  return { path, file }
}

function toRefusal(error: unknown) {
  if (!(error instanceof Error)) return error
  if (codeOf(error) === 'ECONNRESET') return invalid({ problem: 'The body did not arrive whole', expected: 'it again' })
  if (!('syscall' in error)) return error
  return new ApiError('service_unavailable', 'The body cannot be stored now; try again', {
    retryAfter: 30,
    cause: error
  })
}
