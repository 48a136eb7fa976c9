import type { Conversation, Summary } from '../ai.ts'
import { openThread, TimeLimitError } from '../thread.ts'
import type { SummaryRequest } from './worker.ts'

/** An hour of conversation takes about 0.1 s. A request that takes this long would delay the summaries of other owners. */
const LIMIT_MS = 30_000
/** About 20 minutes of speech. */
const FIRST_PART_CHARACTERS = 20_000

/** Summarises on a worker thread. When a conversation takes too long, only its first part is summarised: that helps a reader more than an error. */
export function openSummarizer(program = new URL('./worker.ts', import.meta.url), limitMs = LIMIT_MS) {
  const thread = openThread<SummaryRequest, Summary>(program, { limitMs })

  return {
    async summarize(conversation: Conversation, signal?: AbortSignal): Promise<Summary> {
      try {
        return await thread.ask({ conversation }, signal)
      } catch (error) {
        if (!(error instanceof TimeLimitError)) throw error
        return await thread.ask({ conversation, characters: FIRST_PART_CHARACTERS }, signal)
      }
    },
    close: () => thread.close()
  }
}
