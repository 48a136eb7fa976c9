import { ApiError } from '../../core/api-error.ts'
import { openBudget } from '../../core/budget.ts'
import { openProcessPool, PoolFull, ProcessLost } from '../../core/process-pool.ts'
import { type Writing, type WritingAnswer, writeFile } from './writing.ts'

/** Writes transcripts as files, long ones in a process of its own: that of ten hours takes a second, in which nobody else would be served. */
export interface TranscriptWriter {
  /** Throws conflict if the format or the range needs times and there are none. */
  write(writing: Writing, owner: string): Promise<string>
  close(): Promise<void>
}

/** A shorter one takes a few hundredths of a second at most. */
const LONG_CHARACTERS = 128 * 1024
const SETTINGS = { processes: 1, heapMb: 256, maxWaiting: 200, timeoutMs: 60_000, idleMs: 60_000 }
const MAX_CHARACTERS = { total: 64 * 1024 * 1024, perOwner: 32 * 1024 * 1024 }
const BUSY = 'Too many long transcripts are being written now; try again'

export function openTranscriptWriter(): TranscriptWriter {
  const pool = openProcessPool<Writing, WritingAnswer>(new URL('./program.ts', import.meta.url), SETTINGS)
  // Those that wait are in memory.
  const take = openBudget(MAX_CHARACTERS, BUSY)

  return {
    async write(writing, owner) {
      const { length } = writing.segments
      if (length <= LONG_CHARACTERS) return writeFile(writing)
      using _ = take(owner, length)
      const answer = await pool.run(writing, { owner, heavy: false }).catch(refuse)
      if ('text' in answer) return answer.text
      throw new ApiError(answer.refused.code, answer.refused.problem, answer.refused)
    },
    close: () => pool.close()
  }
}

function refuse(error: unknown): never {
  if (error instanceof PoolFull || (error instanceof ProcessLost && error.reason !== 'failed'))
    throw new ApiError('service_unavailable', BUSY, { retryAfter: 5, cause: error })
  throw error
}
