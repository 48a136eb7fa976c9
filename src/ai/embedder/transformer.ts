import { type Matmul, type Matrix, PANEL, type Rows } from './matmul.ts'

export interface Norm {
  scale: Float32Array
  bias: Float32Array
}

export interface Layer {
  norm: Norm
  queriesKeysValues: Matrix
  attended: Matrix
  innerNorm: Norm
  inner: Matrix
  outer: Matrix
}

const HEADS = 4
/** Keeps the normalization from dividing by zero. */
const EPSILON = 1e-6

/** Transformer layers over at most `most.rows` tokens. All texts share one set of buffers. */
export function openTransformer(matmul: Matmul, most: { rows: number; width: number; innerWidth: number }) {
  const allocateRows = (stride: number): Rows => ({ at: matmul.reserve(most.rows * stride), stride })
  const [normed, attention, output] = [allocateRows(most.width), allocateRows(most.width), allocateRows(most.width)]
  const queriesKeysValues = allocateRows(3 * most.width)
  const inner = allocateRows(most.innerWidth)
  const scores = allocateRows(most.rows)
  const keys = matmul.reserve((most.rows * most.width) / HEADS)
  const values = matmul.reserve((most.rows * most.width) / HEADS)
  const zeros = matmul.reserve(Math.max(most.rows, most.width))

  /** Multi-head self-attention. */
  function attend(width: number, count: number) {
    const numbers = matmul.numbers()
    const depth = width / HEADS
    const columns = Math.ceil(count / PANEL) * PANEL
    for (let head = 0; head < HEADS; head++) {
      const queries = { at: queriesKeysValues.at + head * depth, stride: queriesKeysValues.stride }
      for (let row = 0; row < count; row++) {
        const key = queries.at + row * queries.stride + width
        const keyPanel = keys + Math.floor(row / PANEL) * depth * PANEL + (row % PANEL)
        for (let at = 0; at < depth; at++) {
          numbers[keyPanel + at * PANEL] = numbers[key + at] ?? 0
          numbers[values + (Math.floor(at / PANEL) * count + row) * PANEL + (at % PANEL)] = numbers[key + width + at] ?? 0
        }
      }
      matmul.multiply(queries, { at: keys, bias: zeros, inner: depth, columns }, scores, count)
      for (let row = 0; row < count; row++) softmax(numbers, scores.at + row * scores.stride, count, 1 / Math.sqrt(depth))
      const out = { at: attention.at + head * depth, stride: attention.stride }
      matmul.multiply(scores, { at: values, bias: zeros, inner: count, columns: depth }, out, count)
    }
  }

  function norm(rows: Rows, width: number, { scale, bias }: Norm, count: number) {
    const numbers = matmul.numbers()
    for (let row = 0; row < count; row++) {
      const from = rows.at + row * rows.stride
      const to = normed.at + row * normed.stride
      let sum = 0
      let squares = 0
      for (let at = 0; at < width; at++) sum += numbers[from + at] ?? 0
      const mean = sum / width
      for (let at = 0; at < width; at++) squares += ((numbers[from + at] ?? 0) - mean) ** 2
      const share = 1 / Math.sqrt(squares / width + EPSILON)
      for (let at = 0; at < width; at++) numbers[to + at] = ((numbers[from + at] ?? 0) - mean) * share * (scale[at] ?? 0) + (bias[at] ?? 0)
    }
  }

  function add(rows: Rows, others: Rows, count: number) {
    const numbers = matmul.numbers()
    for (let row = 0; row < count; row++) {
      const to = rows.at + row * rows.stride
      const from = others.at + row * others.stride
      for (let at = 0; at < most.width; at++) numbers[to + at] = (numbers[to + at] ?? 0) + (numbers[from + at] ?? 0)
    }
  }

  return {
    allocateRows,
    /** Runs one layer over `count` rows: attention plus `residual`, then the feed-forward layer. */
    transform(rows: Rows, layer: Layer, residual: Rows, out: Rows, count: number) {
      const width = layer.attended.inner
      norm(rows, width, layer.norm, count)
      matmul.multiply(normed, layer.queriesKeysValues, queriesKeysValues, count)
      attend(width, count)
      matmul.multiply(attention, layer.attended, output, count)
      add(output, residual, count)
      norm(output, most.width, layer.innerNorm, count)
      matmul.multiply(normed, layer.inner, inner, count, 'relu')
      matmul.multiply(inner, layer.outer, out, count)
      add(out, output, count)
    }
  }
}

/** Replaces `count` numbers from `at` by the softmax of each number times `scale`. */
function softmax(numbers: Float32Array, at: number, count: number, scale: number) {
  let most = Number.NEGATIVE_INFINITY
  let sum = 0
  for (let n = at; n < at + count; n++) most = Math.max(most, numbers[n] ?? 0)
  for (let n = at; n < at + count; n++) {
    const power = Math.exp(((numbers[n] ?? 0) - most) * scale)
    numbers[n] = power
    sum += power
  }
  for (let n = at; n < at + count; n++) numbers[n] = (numbers[n] ?? 0) / sum
}
