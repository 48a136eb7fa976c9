import type { Ai, Embeddings, Summaries, Transcripts } from './ai.ts'

interface Parts {
  summaries: Summaries
  /** Undefined where nothing transcribes recordings. */
  transcripts?: Transcripts | undefined
  embeddings: Embeddings
}

/** Joins the server or model of each job into one, which closes all of them. */
export function joinAi({ summaries, transcripts, embeddings }: Parts): Ai {
  return {
    ...embeddings,
    summarize: summaries.summarize,
    translates: summaries.translates ?? false,
    transcripts,
    async close() {
      await Promise.all([summaries.close(), transcripts?.close(), embeddings.close()])
    }
  }
}
