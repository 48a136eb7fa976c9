import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import type { TextInput } from '../ai.ts'

/** The embedding of a text, of unit length; undefined where the model does not know the text's language. */
export type Embed = (text: string, input: TextInput) => Promise<number[] | undefined>

/** How the vectors of the tokens become one. */
export type Pooling = 'mean' | 'cls' | 'last'

export interface EncoderFiles {
  /** The ONNX file. */
  weights: string
  tokenizer: string
  tokenizerConfig?: string
  maxTokens: number
  /** A text of more tokens is read in windows of that many, and its embedding is the mean of theirs. What is beyond them is not read. */
  maxWindows: number
  pooling: Pooling
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
export async function openEncoder(files: EncoderFiles) {
  const { maxTokens, maxWindows, pooling } = files
  const read = async (path: string | undefined) => (path === undefined ? {} : JSON.parse(await readFile(path, 'utf8')))
  const tokenizer = new Tokenizer(await read(files.tokenizer), await read(files.tokenizerConfig))
  const session = await InferenceSession.create(files.weights, OPTIONS)
  const { before, after } = findMarks(tokenizer)
  const room = maxTokens - before.length - after.length
  const tokenize = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids

  async function encodeTokens(tokens: number[]) {
    const inputs: Record<string, (token: number, position: number) => number> = {
      input_ids: token => token,
      attention_mask: () => 1,
      token_type_ids: () => 0,
      position_ids: (_, position) => position
    }
    const feeds = session.inputNames.map(name => {
      const numberOf = inputs[name]
      if (!numberOf) throw new Error(`The model asks for the input ${name}, which is unknown`)
      const data = BigInt64Array.from(tokens, (token, position) => BigInt(numberOf(token, position)))
      return [name, new Tensor('int64', data, [1, tokens.length])] as const
    })
    const outputs = await session.run(Object.fromEntries(feeds))
    const { data, dims } = outputs[session.outputNames[0] ?? ''] ?? {}
    if (!(data instanceof Float32Array) || dims?.length !== 3) throw new Error('The model does not answer with a vector for each token')
    return toUnitLength(poolTokens(data, data.length / tokens.length, pooling))
  }

  return {
    /** Whether the model reads the text at once. */
    fits: (text: string) => tokenize(text).length <= room,
    async encode(text: string): Promise<number[]> {
      const tokens = tokenize(text)
      const windows = Math.min(Math.max(Math.ceil(tokens.length / room), 1), maxWindows)
      const size = Math.min(Math.ceil(tokens.length / windows), room)
      const vectors = []
      for (let n = 0; n < windows; n++) vectors.push(await encodeTokens([...before, ...tokens.slice(n * size, (n + 1) * size), ...after]))
      return toUnitLength(sum(vectors))
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

function poolTokens(data: Float32Array, dimension: number, pooling: Pooling) {
  const rows = Array.from({ length: data.length / dimension }, (_, row) => data.subarray(row * dimension, (row + 1) * dimension))
  if (pooling === 'mean') return sum(rows)
  return [...((pooling === 'cls' ? rows[0] : rows.at(-1)) ?? [])]
}

function sum(vectors: ArrayLike<number>[]) {
  return Array.from({ length: vectors[0]?.length ?? 0 }, (_, at) => vectors.reduce((total, vector) => total + (vector[at] ?? 0), 0))
}

function toUnitLength(vector: number[]) {
  const length = Math.hypot(...vector)
  if (!(length > 0) || !Number.isFinite(length)) throw new Error('The model answered with a vector of zeros or of infinite numbers')
  return vector.map(value => value / length)
}
