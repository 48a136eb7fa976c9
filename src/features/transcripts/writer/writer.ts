import { LIMITS } from '../../../contract/limits.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import type { TranscriptWriter, Writing } from '../../../platform/ports/transcript-writer.ts'
import { openBudget } from '../../../platform/work/budget.ts'
import { memoryLimit } from '../../../platform/work/memory-limit.ts'
import { openProcessPool, PoolFull, ProcessLost } from '../../../platform/work/process-pool.ts'
import { loadSegments } from '../stored-segments.ts'
import { type WritingAnswer, write } from './writing.ts'

/** A shorter one takes a few hundredths of a second at most. */
const LONG_CHARACTERS = 128 * 1024
const { total: maxWaiting, perOwner: maxWaitingOfOwner } = LIMITS.waiting
const SETTINGS = { processes: 1, heapMb: 256, maxWaiting, maxWaitingOfOwner, timeoutMs: 60_000, idleMs: 5_000 }
const MAX_CHARACTERS = 64 * 1024 * 1024
/** Counted for one that is not loaded yet: as long as 50,000 segments. */
const LOADED_CHARACTERS = 8 * 1024 * 1024
const BUSY = 'Too many long transcripts are being written now; try again'

export function openTranscriptWriter(): TranscriptWriter {
  const pool = openProcessPool<Writing, WritingAnswer>(new URL('./program.ts', import.meta.url), SETTINGS)
  // Those that wait are in memory.
  const total = Math.min(MAX_CHARACTERS, memoryLimit() / 16)
  const take = openBudget({ total, perOwner: total / 2 }, BUSY)

  return {
    async write({ segments: stored, ...writing }, owner) {
      const length = typeof stored === 'string' ? stored.length : LOADED_CHARACTERS
      if (typeof stored === 'string' && length <= LONG_CHARACTERS) return write({ ...writing, segments: stored })
      using _ = take(owner, length)
      const segments = await loadSegments(stored)
      const answer = await pool.run({ ...writing, segments }, { owner, heavy: false }).catch(refuse)
      if ('bytes' in answer) return answer.bytes
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
