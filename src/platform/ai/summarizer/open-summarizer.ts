import { openProcessPool, ProcessLost } from '../../work/process-pool.ts'
import { AiError, type Summaries, type Summary } from '../ai.ts'
import { openThread, TimeLimitError } from '../thread.ts'
import type { SummaryRequest } from './worker.ts'

/** An hour of conversation takes about 0.1 s. A request that takes this long would delay the summaries of other owners. */
const LIMIT_MS = 30_000
/** About 20 minutes of speech. */
const FIRST_PART_CHARACTERS = 20_000
/** More than three hours of speech. */
const LONG_CHARACTERS = 200_000
/** A conversation of 35 hours takes 300 MB. */
const LONG = { processes: 1, heapMb: 256, maxWaiting: 100, idleMs: 60_000 }

/** The programs of the thread and of the process. */
const PROGRAMS = {
  usual: new URL('./worker.ts', import.meta.url),
  long: new URL('./program.ts', import.meta.url)
}

/**
 * Summarises on a worker thread, and long conversations in a process, so that no short one waits for them and their memory is not the server's.
 * When a conversation takes too long or too much memory, only its first part is summarised: that helps a reader more than an error.
 */
export function openSummarizer(programs = PROGRAMS, limitMs = LIMIT_MS): Summaries {
  const usual = openThread<SummaryRequest, Summary>(programs.usual, { limitMs })
  const long = openProcessPool<SummaryRequest, Summary>(programs.long, { ...LONG, timeoutMs: limitMs })

  async function runLong(request: SummaryRequest, signal: AbortSignal | undefined) {
    signal?.throwIfAborted()
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const onAbort = () => reject(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    const running = long.run(request, { owner: '', heavy: true }).catch(toAiError)
    return await Promise.race([running, aborted]).finally(() => signal?.removeEventListener('abort', onAbort))
  }

  return {
    async summarize(conversation, signal) {
      const characters = conversation.segments.reduce((sum, { text }) => sum + text.length, 0)
      try {
        if (characters <= LONG_CHARACTERS) return await usual.ask({ conversation }, signal)
        return await runLong({ conversation }, signal)
      } catch (error) {
        if (!isTooMuch(error)) throw error
        return await usual.ask({ conversation, characters: FIRST_PART_CHARACTERS }, signal)
      }
    },
    async check() {},
    async close() {
      await Promise.all([usual.close(), long.close()])
    }
  }
}

function isTooMuch(error: unknown) {
  return error instanceof TimeLimitError || (error instanceof ProcessLost && error.reason !== 'failed')
}

function toAiError(error: unknown): never {
  if (isTooMuch(error)) throw error
  throw new AiError('The process of the offline model ended', { final: false, cause: error })
}
