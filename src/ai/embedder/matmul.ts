import { readFile } from 'node:fs/promises'

const PAGE_BYTES = 65_536
const NUMBER_BYTES = 4
/** The right matrix is stored in panels of this many columns. */
export const PANEL = 8

/** Rows in memory: the index of the first number, and the distance between rows. */
export interface Rows {
  at: number
  stride: number
}

/** The right side of a product: the index of its panels and of its bias. Columns are a multiple of PANEL. */
export interface Matrix {
  at: number
  bias: number
  inner: number
  columns: number
}

/** A WebAssembly memory and matrix products in it. */
export interface Matmul {
  /** Allocates `count` numbers and returns their index. Views returned by `numbers` before are invalid afterwards. */
  reserve(count: number): number
  numbers(): Float32Array
  /** Rows are multiplied in pairs, so `out` holds an even number of rows, at least four. */
  multiply(rows: Rows, matrix: Matrix, out: Rows, count: number, activation?: 'linear' | 'relu'): void
}

/** Loads the product compiled from assembly/matmul.ts. */
export async function openMatmul(): Promise<Matmul> {
  const memory = new WebAssembly.Memory({ initial: 1 })
  const code = await readFile(new URL('matmul.wasm', import.meta.url))
  const { instance } = await WebAssembly.instantiate(code, { env: { memory } })
  const { multiply } = instance.exports
  if (typeof multiply !== 'function') throw new Error('matmul.wasm exports no function multiply')
  let used = 0

  return {
    reserve(count) {
      const at = used
      used += count
      const missing = used * NUMBER_BYTES - memory.buffer.byteLength
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES))
      return at
    },
    numbers: () => new Float32Array(memory.buffer),
    multiply(rows, { at, bias, inner, columns }, out, count, activation = 'linear') {
      const paired = Math.max(count + (count % 2), 4)
      const places = [rows.at, rows.stride, at, bias, out.at, out.stride].map(place => place * NUMBER_BYTES)
      multiply(...places, paired, inner, columns, activation === 'relu' ? 1 : 0)
    }
  }
}

/** Writes rows of numbers as panels of a matrix, from `at`. */
export function pack(numbers: Float32Array, at: number, rows: Float32Array, columns: number) {
  const inner = rows.length / columns
  for (let column = 0; column < columns; column++) {
    let to = at + Math.floor(column / PANEL) * inner * PANEL + (column % PANEL)
    for (let from = column; from < rows.length; from += columns, to += PANEL) numbers[to] = rows[from] ?? 0
  }
}
