import { LIMITS } from '../../../contract/limits.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import type { LongReads } from '../../../platform/ports/long-reads.ts'
import type { StoredSegments, TranscriptWriter } from '../../../platform/ports/transcript-writer.ts'
import { openBudget } from '../../../platform/work/budget.ts'
import { memoryLimit } from '../../../platform/work/memory-limit.ts'
import { openProcessPool, PoolFull, ProcessLost } from '../../../platform/work/process-pool.ts'
import { correctLines, countLines } from '../correct-lines.ts'
import { flatten, quote, show, type Work, type WorkAnswer, write } from './writing.ts'

/** A shorter one takes a few hundredths of a second at most. */
const LONG_CHARACTERS = 128 * 1024
const { total: maxWaiting, perOwner: maxWaitingOfOwner } = LIMITS.waiting
const SETTINGS = { processes: 1, heapMb: 256, maxWaiting, maxWaitingOfOwner, timeoutMs: 60_000, idleMs: 5_000 }
const MAX_CHARACTERS = 64 * 1024 * 1024
/** Counted for one that is not loaded yet: as long as 50,000 segments. */
const LOADED_CHARACTERS = 8 * 1024 * 1024
const BUSY = 'Too many long transcripts are being written now; try again'

/** `longReads` counts the pages that are made or read. */
export function openTranscriptWriter(longReads: LongReads): TranscriptWriter {
  const pool = openProcessPool<Work, WorkAnswer>(new URL('./program.ts', import.meta.url), SETTINGS)
  // Those that wait are in memory.
  const total = Math.min(MAX_CHARACTERS, memoryLimit() / 16)
  const take = openBudget({ total, perOwner: total / 2 }, BUSY)

  let turn: Promise<unknown> = Promise.resolve()

  /** Loads one transcript after the other, each when the one before is written: loading takes the server itself a while, and memory. */
  async function inTurn<T>(load: () => Promise<string>, work: (segments: string) => Promise<T>) {
    const done = turn.then(async () => await work(await load()))
    turn = done.catch(() => {})
    return await done
  }

  async function ask(work: Work, owner: string) {
    const answer = await pool.run(work, { owner, heavy: false }).catch(refuse)
    if ('refused' in answer) throw new ApiError(answer.refused.code, answer.refused.problem, answer.refused)
    return answer
  }

  /** Has the process do the work on long segments, if those that are in use leave room. */
  async function run(stored: StoredSegments, owner: string, workOn: (segments: string) => Work) {
    using _ = take(owner, typeof stored === 'string' ? stored.length : LOADED_CHARACTERS)
    if (typeof stored === 'string') return await ask(workOn(stored), owner)
    return await inTurn(stored, async segments => await ask(workOn(segments), owner))
  }

  return {
    async write({ segments: stored, ...writing }, owner) {
      if (isShort(stored)) return write({ kind: 'file', ...writing, segments: stored })
      const answer = await run(stored, owner, segments => ({ kind: 'file', ...writing, segments }))
      return 'bytes' in answer ? answer.bytes : throwOther()
    },
    async show({ segments: stored, ...showing }, reader) {
      using taken = new DisposableStack()
      if (isShort(stored)) return held(show({ kind: 'page', ...showing, segments: stored }), taken)
      taken.use(longReads(reader))
      const answer = await run(stored, reader.userId, segments => ({ kind: 'page', ...showing, segments }))
      if (!('page' in answer)) return throwOther()
      // Lines that wait to be read are in memory, as segments that wait to be written are.
      taken.use(take(reader.userId, answer.page.lines.length, { evenBeyond: true }))
      return held(answer.page, taken)
    },
    async quote({ segments: stored, ...quoting }, owner) {
      if (isShort(stored)) return quote({ kind: 'part', ...quoting, segments: stored })
      const answer = await run(stored, owner, segments => ({ kind: 'part', ...quoting, segments }))
      return 'part' in answer ? answer.part : throwOther()
    },
    async correct({ segments: stored, ...correcting }, owner) {
      if (isShort(stored)) return correctLines({ ...correcting, segments: stored })
      const answer = await run(stored, owner, segments => ({ kind: 'correction', ...correcting, segments }))
      return 'corrected' in answer ? (answer.corrected ?? undefined) : throwOther()
    },
    async countLines({ segments: stored, ...terms }, owner) {
      if (isShort(stored)) return countLines({ ...terms, segments: stored })
      const answer = await run(stored, owner, segments => ({ kind: 'terms', ...terms, segments }))
      return 'counted' in answer ? answer.counted : throwOther()
    },
    async flatten(load, owner) {
      return await inTurn(load, async segments => {
        if (isShort(segments)) return flatten(segments)
        const answer = await ask({ kind: 'text', segments }, owner)
        return 'packed' in answer ? answer.packed : throwOther()
      })
    },
    close: () => pool.close()
  }
}

function isShort(stored: StoredSegments): stored is string {
  return typeof stored === 'string' && stored.length <= LONG_CHARACTERS
}

/** Moves what was taken to the result, which has it until it is disposed of. */
function held<T extends object>(result: T, taken: DisposableStack): T & Disposable {
  const moved = taken.move()
  return { ...result, [Symbol.dispose]: () => moved.dispose() }
}

function throwOther(): never {
  throw new Error('The process answered other work')
}

function refuse(error: unknown): never {
  if (error instanceof PoolFull || (error instanceof ProcessLost && error.reason !== 'failed'))
    throw new ApiError('service_unavailable', BUSY, { retryAfter: 5, cause: error })
  throw error
}
