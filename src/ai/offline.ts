import type { Ai, TextInput } from './ai.ts'
import type { Texts } from './offline/embed-worker.ts'
import { OFFLINE_MODEL } from './offline/passages.ts'
import { openSummaries } from './offline/summaries.ts'
import { openThread } from './offline/thread.ts'

/** About what the model reads in a third of a second: a search waits no longer than that behind an import. */
const BATCH_CHARACTERS = 4000
const BATCH_TEXTS = 32

/** Needs no provider: sentences picked from the conversation itself, and a small model for vectors. Both work on threads of their own. */
export function offlineAi(): Ai {
  const summaries = openSummaries()
  const vectors = openThread<Texts, number[][]>(new URL('./offline/embed-worker.ts', import.meta.url))

  async function embed(texts: string[], signal?: AbortSignal, input: TextInput = 'passage') {
    const made: number[][] = []
    for (const batch of batches(texts)) made.push(...(await vectors.ask({ texts: batch, input }, signal)))
    return made
  }

  return {
    embedder: { model: OFFLINE_MODEL, dimension: 512 },
    summarize: summaries.summarize,
    embed,
    transcribe: undefined,
    async check(signal) {
      await embed(['ready'], signal)
    },
    async close() {
      await Promise.all([summaries.close(), vectors.close()])
    }
  }
}

function* batches(texts: readonly string[]) {
  let batch: string[] = []
  let characters = 0
  for (const text of texts) {
    if (batch.length > 0 && (batch.length === BATCH_TEXTS || characters + text.length > BATCH_CHARACTERS)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(text)
    characters += text.length
  }
  if (batch.length > 0) yield batch
}
