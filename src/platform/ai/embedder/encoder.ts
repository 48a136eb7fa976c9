import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import type { TextInput } from '../ai.ts'
import { toUnitLength } from '../unit-length.ts'
import { type InferenceSession, loadRuntime } from './runtime.ts'

/** The embedding of a text, of unit length; undefined where the model does not know the text's language. */
export type Embed = (text: string, input: TextInput) => Promise<number[] | undefined>

interface EncoderFiles {
  /** The ONNX file. */
  weights: string
  tokenizer: string
  /** Tokens beyond this number are not read. */
  maxTokens: number
  /** The vector of a text: the mean of the vectors of all tokens, or the vector of the first. */
  pooling: 'mean' | 'cls'
}

/** The inputs of a graph, from the tokens of a text. There is one text at a time, so nothing is padded. */
const INPUTS: Record<string, (tokens: number[]) => Iterable<number>> = {
  input_ids: tokens => tokens,
  attention_mask: tokens => tokens.map(() => 1),
  token_type_ids: tokens => tokens.map(() => 0),
  position_ids: tokens => tokens.keys()
}

/** Uses one thread, which sleeps between two texts, and keeps no memory for the next text. */
const OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  enableCpuMemArena: false,
  enableMemPattern: false,
  logSeverityLevel: 4,
  extra: { session: { intra_op: { allow_spinning: '0' } } }
}

/** Loads a transformer encoder. Texts are read one by one, so the vector of a text does not depend on others. */
export async function openEncoder({ weights, tokenizer: tokenizerFile, maxTokens, pooling }: EncoderFiles) {
  const tokenizer = new Tokenizer(JSON.parse(await readFile(tokenizerFile, 'utf8')), {})
  const { InferenceSession, Tensor } = await loadRuntime()
  const session = await InferenceSession.create(weights, OPTIONS)
  const { before, after } = findMarks(tokenizer)
  const room = maxTokens - before.length - after.length
  const tokenize = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids

  return {
    /** Returns whether the model reads the whole text. */
    fits: (text: string) => tokenize(text).length <= room,
    async encode(text: string): Promise<number[]> {
      const tokens = [...before, ...tokenize(text).slice(0, room), ...after]
      const inputs = session.inputNames.map(name => [
        name,
        new Tensor('int64', numbersFor(name, tokens), [1, tokens.length])
      ])
      const outputs = await session.run(Object.fromEntries(inputs))
      // Graphs with this output do the pooling themselves.
      const { data, dims } = outputs.sentence_embedding ?? outputs[session.outputNames[0] ?? ''] ?? {}
      const width = dims?.at(-1)
      if (!(data instanceof Float32Array) || !width)
        throw new Error('The model does not answer with vectors of 32-bit numbers')
      const vector = toUnitLength(pooling === 'cls' ? [...data.subarray(0, width)] : sumOfRows(data, width))
      if (!vector) throw new Error('The model answered with a vector of zeros or of infinite numbers')
      return vector
    }
  }
}

function numbersFor(input: string, tokens: number[]) {
  const numbersOf = INPUTS[input]
  if (!numbersOf) throw new Error(`The model wants an input ${input}, which a text does not have`)
  return BigInt64Array.from(numbersOf(tokens), BigInt)
}

/** The tokens that the model expects before and after a text. */
function findMarks(tokenizer: Tokenizer) {
  const bare: number[] = tokenizer.encode('a', { add_special_tokens: false }).ids
  const ids: number[] = tokenizer.encode('a').ids
  const at = ids.findIndex((_, start) => bare.every((id, place) => ids[start + place] === id))
  return { before: ids.slice(0, at), after: ids.slice(at + bare.length) }
}

/** The sum of the vectors of all tokens, which has the direction of their mean. */
function sumOfRows(data: Float32Array, width: number) {
  const sum = new Array<number>(width).fill(0)
  data.forEach((value, at) => {
    sum[at % width] = (sum[at % width] ?? 0) + value
  })
  return sum
}
