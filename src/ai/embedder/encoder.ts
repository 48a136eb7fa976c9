import { type Matmul, openMatmul, pack } from './matmul.ts'
import { meanEmbedding } from './model-input.ts'
import { openTokenizer } from './tokenizer.ts'
import { type Layer, openTransformer } from './transformer.ts'
import { readModel, type TensorOf } from './weights.ts'

const MAX_TOKENS = 128
const TOKEN_WIDTH = 256
const WIDTH = 512
const INNER_WIDTH = 1536

/** The embedding of the first 128 tokens of a text. A caller waits for a query, so at most 64 of its tokens are read. */
export type Encode = (text: string, isQuery?: boolean) => number[]

/** Half the model's limit takes half the time; nDCG@10 on QMSum stays the same. */
const MAX_QUERY_TOKENS = 64

/** A query whose tokens are shorter on average has no word in the vocabulary; more of its tokens add little to the embedding. */
const MIN_TOKEN_CHARACTERS = 2
const MAX_UNKNOWN_TOKENS = 32

/**
 * The model's forward pass: token embeddings, two transformer layers, their mean over the tokens, and an output layer.
 * It replaces the library's graph of 317 nodes: most of them only compute tensor shapes, and walking them takes as long as the
 * multiplications. The result has 512 numbers and length one.
 */
export async function openEncoder(): Promise<Encode> {
  const { vocabulary, tensorOf } = await readModel()
  const tokenize = openTokenizer(vocabulary)
  const matmul = await openMatmul()
  const weights = loadWeights(matmul, tensorOf)
  const { allocateRows, transform } = openTransformer(matmul, { rows: MAX_TOKENS, width: WIDTH, innerWidth: INNER_WIDTH })
  const [embedded, hidden, first, second] = [allocateRows(TOKEN_WIDTH), allocateRows(WIDTH), allocateRows(WIDTH), allocateRows(WIDTH)]

  function embedTokens(tokens: number[]) {
    const numbers = matmul.numbers()
    for (const [n, token] of tokens.entries()) {
      const [meaning, position] = [token * TOKEN_WIDTH, n * TOKEN_WIDTH]
      for (let at = 0; at < TOKEN_WIDTH; at++) {
        numbers[embedded.at + position + at] = 2 * (weights.tokens[meaning + at] ?? 0) + (weights.positions[position + at] ?? 0)
      }
    }
  }

  /** Writes the mean of the rows into the first row of `hidden`. */
  function average(count: number) {
    const numbers = matmul.numbers()
    for (let at = 0; at < WIDTH; at++) {
      let sum = 0
      for (let row = 0; row < count; row++) sum += numbers[second.at + row * WIDTH + at] ?? 0
      numbers[hidden.at + at] = sum / count
    }
  }

  function readTokens(text: string, isQuery: boolean) {
    const tokens = tokenize(text)
    if (!isQuery) return tokens.slice(0, MAX_TOKENS)
    return tokens.slice(0, text.length < tokens.length * MIN_TOKEN_CHARACTERS ? MAX_UNKNOWN_TOKENS : MAX_QUERY_TOKENS)
  }

  return (text, isQuery = false) => {
    const tokens = readTokens(text, isQuery)
    embedTokens(tokens)
    matmul.multiply(embedded, weights.widen, hidden, tokens.length)
    transform(embedded, weights.first, hidden, first, tokens.length)
    transform(first, weights.second, first, second, tokens.length)
    average(tokens.length)
    matmul.multiply(hidden, weights.last, first, 1)
    return meanEmbedding([Array.from(matmul.numbers().subarray(first.at, first.at + WIDTH), Math.tanh)])
  }
}

/** The model's tensors by role. The names are those in the model's manifest. */
function loadWeights(matmul: Matmul, tensorOf: TensorOf) {
  const encode = 'Encoder_en/KonaTransformer/Encode'
  const constant = `module_apply_default/${encode}`
  const joined = (name: string) => tensorOf(`${name}/ConcatPartitions/concat`)

  function matrix(rows: Float32Array, bias: Float32Array) {
    const columns = bias.length
    const at = matmul.reserve(rows.length)
    const biasAt = matmul.reserve(columns)
    pack(matmul.numbers(), at, rows, columns)
    matmul.numbers().set(bias, biasAt)
    return { at, bias: biasAt, inner: rows.length / columns, columns }
  }

  function layer(at: number): Layer {
    const own = `${constant}/Layer_${at}/TransformerLayer`
    const norm = (place: string) => ({
      scale: joined(`${own}/${place}layer_prepostprocess/layer_norm/layer_norm_scale`).slice(),
      bias: joined(`${own}/${place}layer_prepostprocess/layer_norm/layer_norm_bias`).slice()
    })
    const attention = (part: string) =>
      matrix(
        tensorOf(`module/${encode}/Layer_${at}/TransformerLayer/MultiheadAttention/${part}/kernel/part_0`),
        joined(`${own}/MultiheadAttention/${part}/bias`)
      )
    const feed = (part: string) =>
      matrix(
        tensorOf(`${constant}/TransformerStack/Layer_${at}/TransformerLayer/FFN/${part}/Tensordot/Reshape_1`),
        joined(`${own}/FFN/${part}/bias`)
      )
    return {
      norm: norm(''),
      queriesKeysValues: attention('qkv_transform_single'),
      attended: attention('output_transform_single'),
      innerNorm: norm('FFN/'),
      inner: feed('conv1'),
      outer: feed('conv2')
    }
  }

  const widening = `${constant}/Layer_0/TransformerLayer/dense`
  const last = 'module/Encoder_en/hidden_layers/tanh_layer_0'
  return {
    tokens: tensorOf('module/Embeddings_en').slice(),
    positions: positionsOf(tensorOf(`${constant}/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`)),
    widen: matrix(joined(`${widening}/kernel`), joined(`${widening}/bias`)),
    first: layer(0),
    second: layer(1),
    last: matrix(tensorOf(`${last}/weights`), tensorOf(`${last}/bias`))
  }
}

/** The positional encoding: sines and cosines of each position at each frequency. */
function positionsOf(frequencies: Float32Array) {
  const rows = Array.from({ length: MAX_TOKENS }, (_, position) => {
    const angles = frequencies.map(frequency => position * frequency)
    return [...angles.map(Math.sin), ...angles.map(Math.cos)]
  })
  return Float32Array.from(rows.flat())
}
