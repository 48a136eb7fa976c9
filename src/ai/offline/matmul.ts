import { readFile } from 'node:fs/promises'

const PAGE_BYTES = 65_536
const NUMBER_BYTES = 4
/** Columns of the right matrix that lie together. */
export const PANEL = 8

/** Rows in the memory, one after the other: where the first begins, and how far it is from a row to the next, in numbers. */
export interface Rows {
  at: number
  stride: number
}

/** The right side of a product: where its panels and what is added to each row begin. Columns are a multiple of PANEL. */
export interface Matrix {
  at: number
  bias: number
  inner: number
  columns: number
}

/** A memory of numbers, and products of the matrices that lie in it. */
export interface Matmul {
  /** Room for so many numbers; their place. What `numbers` gave before is no longer good. */
  reserve(count: number): number
  numbers(): Float32Array
  /** `out` has room for a further row and for four at least: rows are multiplied by pairs. */
  multiply(rows: Rows, matrix: Matrix, out: Rows, count: number, activation?: 'linear' | 'relu'): void
}

/** With the code that assembly/matmul.ts is compiled to. */
export async function openMatmul(): Promise<Matmul> {
  const memory = new WebAssembly.Memory({ initial: 1 })
  const code = await readFile(new URL('matmul.wasm', import.meta.url))
  const { instance } = await WebAssembly.instantiate(code, { env: { memory } })
  const { multiply } = instance.exports
  if (typeof multiply !== 'function') throw new Error('matmul.wasm multiplies nothing')
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

/** Rows of numbers as the panels of a matrix, written from `at`. */
export function pack(numbers: Float32Array, at: number, rows: Float32Array, columns: number) {
  const inner = rows.length / columns
  for (let column = 0; column < columns; column++) {
    let to = at + Math.floor(column / PANEL) * inner * PANEL + (column % PANEL)
    for (let from = column; from < rows.length; from += columns, to += PANEL) numbers[to] = rows[from] ?? 0
  }
}
