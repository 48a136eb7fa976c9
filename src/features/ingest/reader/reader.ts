import { stat } from 'node:fs/promises'
import { LIMITS } from '../../../contract/limits.ts'
import { ApiError, invalid } from '../../../platform/core/api-error.ts'
import type { Reader } from '../../../platform/ports/reader.ts'
import { openProcessPool, PoolFull, ProcessLost } from '../../../platform/work/process-pool.ts'
import type { Reading, ReadingAnswer } from './reading.ts'

const { total: maxWaiting, perOwner: maxWaitingOfOwner } = LIMITS.waiting
const SETTINGS = { processes: 2, heapMb: 192, maxWaiting, maxWaitingOfOwner, timeoutMs: 20_000, idleMs: 60_000 }
/** A ten-hour transcript has 750 KB. */
const HEAVY_BYTES = 2 * 1024 * 1024

export function openReader(): Reader {
  const pool = openProcessPool<Reading, ReadingAnswer>(new URL('./program.ts', import.meta.url), SETTINGS)

  async function read(reading: Reading, owner: string) {
    const { size } = await stat(reading.path)
    return await pool.run(reading, { owner, heavy: size > HEAVY_BYTES }).catch(refuse)
  }

  return {
    async readBody(path, owner, how) {
      const answer = await read({ kind: 'body', path, ...how }, owner)
      return 'body' in answer ? answer.body : throwRefused(answer)
    },
    async readState(path, owner) {
      const answer = await read({ kind: 'state', path }, owner)
      return 'state' in answer ? answer.state : throwRefused(answer)
    },
    async readFile(file, owner) {
      const answer = await read({ kind: 'file', ...file }, owner)
      if ('unreadable' in answer) throw invalid({ field: 'file', problem: answer.unreadable })
      if ('entry' in answer) return answer.entry
      throw new Error('The process has answered another request')
    },
    close: () => pool.close()
  }
}

function throwRefused(answer: ReadingAnswer): never {
  if ('refused' in answer) throw new ApiError(answer.refused.code, answer.refused.problem, answer.refused)
  throw new Error('The process has answered another request')
}

const TOO_COMPLEX = 'It takes too much memory or time to read; send it in parts'

function refuse(error: unknown): never {
  if (error instanceof PoolFull)
    throw new ApiError('service_unavailable', 'Too many large documents are being read now; try again', {
      retryAfter: 5
    })
  if (error instanceof ProcessLost && error.reason !== 'failed')
    throw new ApiError('invalid_request', TOO_COMPLEX, { status: 413, cause: error })
  throw error
}
