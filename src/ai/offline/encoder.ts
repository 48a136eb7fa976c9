import { type Matmul, openMatmul, pack } from './matmul.ts'
import { meanDirection } from './passages.ts'
import { openTokenizer } from './tokenizer.ts'
import { type Layer, openTransformer } from './transformer.ts'
import { readModel, type TensorOf } from './weights.ts'

const MOST_PIECES = 128
const PIECE_WIDTH = 256
const WIDTH = 512
const INNER_WIDTH = 1536

/** The vector of a text, of which 128 pieces are read; of a query, for which somebody waits, half of them or fewer. */
export type Encode = (text: string, isQuery?: boolean) => number[]

/** Half of what the model can read: it takes half the time, and finds QMSum's meetings by their summaries as well as all of it. */
const QUERY_PIECES = 64

/** What is cut into pieces this short is of no words that the model knows, and hardly means more to it if it reads more of it. */
const KNOWN_PIECE = 2
const UNKNOWN_PIECES = 32

/**
 * The model's own pass over one text: two layers of a transformer, the mean of what they say of each piece, and a last layer.
 * Asked as the graph that the model comes as, the library takes as long to walk its 317 nodes, most of which only reckon
 * shapes, as to multiply; and it multiplies and adds in two steps. Gives 512 numbers, of length one but for rounding.
 */
export async function openEncoder(): Promise<Encode> {
  const { vocabulary, tensorOf } = await readModel()
  const piecesOf = openTokenizer(vocabulary)
  const matmul = await openMatmul()
  const weights = loadWeights(matmul, tensorOf)
  const { room, transform } = openTransformer(matmul, { rows: MOST_PIECES, width: WIDTH, innerWidth: INNER_WIDTH })
  const [placed, wide, first, second] = [room(PIECE_WIDTH), room(WIDTH), room(WIDTH), room(WIDTH)]

  function placePieces(pieces: number[]) {
    const numbers = matmul.numbers()
    for (const [n, piece] of pieces.entries()) {
      const [meaning, position] = [piece * PIECE_WIDTH, n * PIECE_WIDTH]
      for (let at = 0; at < PIECE_WIDTH; at++) {
        numbers[placed.at + position + at] = 2 * (weights.pieces[meaning + at] ?? 0) + (weights.positions[position + at] ?? 0)
      }
    }
  }

  /** The mean of the rows, as the first row of `wide`. */
  function average(count: number) {
    const numbers = matmul.numbers()
    for (let at = 0; at < WIDTH; at++) {
      let sum = 0
      for (let row = 0; row < count; row++) sum += numbers[second.at + row * WIDTH + at] ?? 0
      numbers[wide.at + at] = sum / count
    }
  }

  function piecesRead(text: string, isQuery: boolean) {
    const pieces = piecesOf(text)
    if (!isQuery) return pieces.slice(0, MOST_PIECES)
    return pieces.slice(0, text.length < pieces.length * KNOWN_PIECE ? UNKNOWN_PIECES : QUERY_PIECES)
  }

  return (text, isQuery = false) => {
    const pieces = piecesRead(text, isQuery)
    placePieces(pieces)
    matmul.multiply(placed, weights.widen, wide, pieces.length)
    transform(placed, weights.first, wide, first, pieces.length)
    transform(first, weights.second, first, second, pieces.length)
    average(pieces.length)
    matmul.multiply(wide, weights.last, first, 1)
    return meanDirection([Array.from(matmul.numbers().subarray(first.at, first.at + WIDTH), Math.tanh)])
  }
}

/** The model's tensors by what they are for; the names are those of its file. */
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
    pieces: tensorOf('module/Embeddings_en').slice(),
    positions: positionsOf(tensorOf(`${constant}/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`)),
    widen: matrix(joined(`${widening}/kernel`), joined(`${widening}/bias`)),
    first: layer(0),
    second: layer(1),
    last: matrix(tensorOf(`${last}/weights`), tensorOf(`${last}/bias`))
  }
}

/** Where in the text each piece stands, as sines and cosines of its place at each frequency. */
function positionsOf(frequencies: Float32Array) {
  const rows = Array.from({ length: MOST_PIECES }, (_, place) => {
    const angles = frequencies.map(frequency => place * frequency)
    return [...angles.map(Math.sin), ...angles.map(Math.cos)]
  })
  return Float32Array.from(rows.flat())
}
