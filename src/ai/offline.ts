import type { Ai, TextInput } from './ai.ts'
import { OFFLINE_MODEL } from './embedder/model-input.ts'
import type { Texts } from './embedder/worker.ts'
import { openSummarizer } from './summarizer/open-summarizer.ts'
import { openThread } from './thread.ts'

/** The model reads a batch in about 0.3 s, so a search never waits longer than that behind an import. */
const MAX_BATCH_CHARACTERS = 4000
const MAX_BATCH_TEXTS = 32

/** Needs no provider: summaries of sentences picked from the conversation, and embeddings from a small model. Each runs on its own worker thread. */
export function offlineAi(): Ai {
  const summarizer = openSummarizer()
  const embedder = openThread<Texts, number[][]>(new URL('./embedder/worker.ts', import.meta.url))

  async function embed(texts: string[], signal?: AbortSignal, input: TextInput = 'passage') {
    const embeddings: number[][] = []
    for (const batch of splitIntoBatches(texts)) embeddings.push(...(await embedder.ask({ texts: batch, input }, signal)))
    return embeddings
  }

  return {
    embedder: { model: OFFLINE_MODEL, dimension: 512 },
    summarize: summarizer.summarize,
    embed,
    transcribe: undefined,
    async check(signal) {
      await embed(['ready'], signal)
    },
    async close() {
      await Promise.all([summarizer.close(), embedder.close()])
    }
  }
}

function* splitIntoBatches(texts: readonly string[]) {
  let batch: string[] = []
  let characters = 0
  for (const text of texts) {
    if (batch.length > 0 && (batch.length === MAX_BATCH_TEXTS || characters + text.length > MAX_BATCH_CHARACTERS)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(text)
    characters += text.length
  }
  if (batch.length > 0) yield batch
}
