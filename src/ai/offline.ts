import type { Ai } from './ai.ts'
import { openBundledEmbeddings } from './embedder/local-embeddings.ts'
import { openSummarizer } from './summarizer/open-summarizer.ts'

/** Needs no provider: summaries of sentences picked from the conversation, and embeddings from a small model, whose file is in `modelFolder`. */
export async function offlineAi(modelFolder: string): Promise<Ai> {
  const summarizer = openSummarizer()
  const embeddings = await openBundledEmbeddings(modelFolder)
  return {
    ...embeddings,
    summarize: summarizer.summarize,
    transcribe: undefined,
    async close() {
      await Promise.all([summarizer.close(), embeddings.close()])
    }
  }
}
