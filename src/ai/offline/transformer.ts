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
/** Added to a variance, so that none is divided by nothing. */
const EPSILON = 1e-6

/** Layers of a transformer over at most so many rows. What they reckon lies in one memory, of which each text writes over what the last one has left. */
export function openTransformer(matmul: Matmul, most: { rows: number; width: number; innerWidth: number }) {
  const room = (stride: number): Rows => ({ at: matmul.reserve(most.rows * stride), stride })
  const [normed, attention, seen] = [room(most.width), room(most.width), room(most.width)]
  const queriesKeysValues = room(3 * most.width)
  const inner = room(most.innerWidth)
  const shares = room(most.rows)
  const keys = matmul.reserve((most.rows * most.width) / HEADS)
  const values = matmul.reserve((most.rows * most.width) / HEADS)
  const nothing = matmul.reserve(Math.max(most.rows, most.width))

  /** What each row is to look at of the others, and that of them; each head by itself. */
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
      matmul.multiply(queries, { at: keys, bias: nothing, inner: depth, columns }, shares, count)
      for (let row = 0; row < count; row++) softmax(numbers, shares.at + row * shares.stride, count, 1 / Math.sqrt(depth))
      const out = { at: attention.at + head * depth, stride: attention.stride }
      matmul.multiply(shares, { at: values, bias: nothing, inner: count, columns: depth }, out, count)
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
    room,
    /** What a layer makes of `count` rows; `residual` is added to what their attention gives. */
    transform(rows: Rows, layer: Layer, residual: Rows, out: Rows, count: number) {
      const width = layer.attended.inner
      norm(rows, width, layer.norm, count)
      matmul.multiply(normed, layer.queriesKeysValues, queriesKeysValues, count)
      attend(width, count)
      matmul.multiply(attention, layer.attended, seen, count)
      add(seen, residual, count)
      norm(seen, most.width, layer.innerNorm, count)
      matmul.multiply(normed, layer.inner, inner, count, 'relu')
      matmul.multiply(inner, layer.outer, out, count)
      add(out, seen, count)
    }
  }
}

/** Of `count` numbers from `at`, each times `scale`: shares of one, in their place. */
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
