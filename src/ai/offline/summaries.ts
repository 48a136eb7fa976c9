import type { Conversation, Summary } from '../ai.ts'
import type { Reading } from './summary-worker.ts'
import { openThread, TimeLimitError } from './thread.ts'

/** An hour of conversation takes a tenth of a second; what takes this long keeps the summaries of other owners waiting. */
const LIMIT_MS = 30_000
/** About 20 minutes of speech. */
const FIRST_PART_CHARACTERS = 20_000

/** Makes summaries on a thread. Of a conversation that takes too long the first part is summarised, which serves a reader better than an error. */
export function openSummaries(program = new URL('./summary-worker.ts', import.meta.url), limitMs = LIMIT_MS) {
  const thread = openThread<Reading, Summary>(program, { limitMs })

  return {
    async summarize(conversation: Conversation, signal?: AbortSignal): Promise<Summary> {
      try {
        return await thread.ask({ conversation }, signal)
      } catch (fault) {
        if (!(fault instanceof TimeLimitError)) throw fault
        return await thread.ask({ conversation, characters: FIRST_PART_CHARACTERS }, signal)
      }
    },
    close: () => thread.close()
  }
}
