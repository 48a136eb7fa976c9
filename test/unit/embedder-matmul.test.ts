import { expect, test } from 'vitest'
import { openMatmul, PANEL, pack } from '../../src/ai/embedder/matmul.ts'

/** Numbers that look made up and are the same in each run. */
const numbersOf = (count: number, seed: number) => Float32Array.from({ length: count }, (_, at) => Math.sin(at * 12.9898 + seed) * 2)

test.each([
  { count: 1, inner: 1, columns: 8 },
  { count: 2, inner: 3, columns: 8 },
  { count: 5, inner: 7, columns: 16 },
  { count: 6, inner: 256, columns: 24 },
  { count: 7, inner: 64, columns: 8 },
  { count: 9, inner: 33, columns: 40 },
  { count: 12, inner: 512, columns: 16 },
  { count: 13, inner: 5, columns: 8 },
  { count: 128, inner: 17, columns: 32 }
])('multiplies $count rows of $inner by $columns columns', async ({ count, inner, columns }) => {
  const { rows, right, bias, product } = await multiplied(count, inner, columns)
  const expected = Array.from({ length: count * columns }, (_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns]
    return Array.from({ length: inner }, (_, n) => rows[row * inner + n]! * right[n * columns + column]!).reduce(
      (a, b) => a + b,
      bias[column]!
    )
  })
  const furthest = Math.max(...product('linear').map((value, at) => Math.abs(value - expected[at]!)))
  expect(furthest).toBeLessThan(1e-5 * inner)
})

test('gives nought for what is below with relu, and the rest as it is', async () => {
  const { product } = await multiplied(10, 20, 16)
  const plain = product('linear')
  expect(Math.min(...plain)).toBeLessThan(0)
  expect(product('relu')).toEqual(plain.map(value => Math.max(value, 0)))
})

test('leaves what lies beside the rows alone', async () => {
  const { numbers, out, product } = await multiplied(6, 4, 8)
  numbers()[out.at - 1] = 7
  numbers()[out.at + 6 * out.stride] = 8
  product('linear')
  expect([numbers()[out.at - 1], numbers()[out.at + 6 * out.stride]]).toEqual([7, 8])
})

async function multiplied(count: number, inner: number, columns: number) {
  const matmul = await openMatmul()
  const [rows, right, bias] = [numbersOf(count * inner, 1), numbersOf(inner * columns, 2), numbersOf(columns, 3)]
  const left = { at: matmul.reserve((count + 4) * inner), stride: inner }
  const matrix = { at: matmul.reserve(right.length), bias: matmul.reserve(columns), inner, columns }
  matmul.reserve(PANEL)
  const out = { at: matmul.reserve((count + 4) * columns), stride: columns }
  matmul.reserve(PANEL)
  matmul.numbers().set(rows, left.at)
  matmul.numbers().set(bias, matrix.bias)
  pack(matmul.numbers(), matrix.at, right, columns)
  const product = (activation: 'linear' | 'relu') => {
    matmul.multiply(left, matrix, out, count, activation)
    return [...matmul.numbers().subarray(out.at, out.at + count * columns)]
  }
  return { rows, right, bias, out, numbers: matmul.numbers, product }
}
