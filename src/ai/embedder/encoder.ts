import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import type { TextInput } from '../ai.ts'
import { toUnitLength } from '../unit-length.ts'

/** The embedding of a text, of unit length; undefined where the model does not know the text's language. */
export type Embed = (text: string, input: TextInput) => Promise<number[] | undefined>

export interface EncoderFiles {
  /** The ONNX file. */
  weights: string
  tokenizer: string
  /** What is beyond them is not read. */
  maxTokens: number
}

/** One thread, which sleeps between two texts; and no memory is kept for the next one. */
const OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  enableCpuMemArena: false,
  enableMemPattern: false,
  logSeverityLevel: 3,
  extra: { session: { intra_op: { allow_spinning: '0' } } }
}

/** Loads a transformer encoder. Texts are read one by one, so the vector of a text does not depend on others. */
export async function openEncoder({ weights, tokenizer: tokenizerFile, maxTokens }: EncoderFiles) {
  const tokenizer = new Tokenizer(JSON.parse(await readFile(tokenizerFile, 'utf8')), {})
  const session = await InferenceSession.create(weights, OPTIONS)
  const { before, after } = findMarks(tokenizer)
  const room = maxTokens - before.length - after.length
  const tokenize = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids

  return {
    /** Whether the model reads the text at once. */
    fits: (text: string) => tokenize(text).length <= room,
    async encode(text: string): Promise<number[]> {
      const tokens = [...before, ...tokenize(text).slice(0, room), ...after]
      const feed = (numbers: Iterable<number>) => new Tensor('int64', BigInt64Array.from(numbers, BigInt), [1, tokens.length])
      const outputs = await session.run({ input_ids: feed(tokens), position_ids: feed(tokens.keys()) })
      const { data, dims } = outputs[session.outputNames[0] ?? ''] ?? {}
      if (!(data instanceof Float32Array) || dims?.length !== 3) throw new Error('The model does not answer with a vector for each token')
      const vector = toUnitLength(sumOfRows(data, data.length / tokens.length))
      if (!vector) throw new Error('The model answered with a vector of zeros or of infinite numbers')
      return vector
    }
  }
}

/** The tokens that the model expects before and after a text. */
function findMarks(tokenizer: Tokenizer) {
  const [bare = 0] = tokenizer.encode('a', { add_special_tokens: false }).ids
  const { ids } = tokenizer.encode('a')
  const at = ids.indexOf(bare)
  return { before: ids.slice(0, at), after: ids.slice(at + 1) }
}

/** The sum of the vectors of all tokens, which has the direction of their mean. */
function sumOfRows(data: Float32Array, width: number) {
  const sum = new Array<number>(width).fill(0)
  data.forEach((value, at) => {
    sum[at % width] = (sum[at % width] ?? 0) + value
  })
  return sum
}
