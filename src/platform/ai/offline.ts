import type { Ai, Embeddings } from './ai.ts'
import { joinAi } from './join-ai.ts'
import { openSummarizer } from './summarizer/open-summarizer.ts'

/** Needs no provider of summaries: they are made of sentences picked from the conversation. Closes the embeddings with itself. */
export function offlineAi(embeddings: Embeddings): Ai {
  return joinAi({ summaries: openSummarizer(), embeddings })
}
