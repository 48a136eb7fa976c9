import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { encodeModel } from '../../../ops/embedding-model/onnx.ts'
import { quantizeRows, transpose } from '../../../ops/embedding-model/quantize.ts'
import { prepareBundledModel } from '../../../src/platform/ai/embedder/bundled-file.ts'
import { openBundledEmbeddings } from '../../../src/platform/ai/embedder/local-embeddings.ts'
import { loadRuntime } from '../../../src/platform/ai/embedder/runtime.ts'

const directory = mkdtempSync(join(tmpdir(), 'parlance-model-'))
afterAll(() => rmSync(directory, { recursive: true }))

test('the model file is made once, by several at a time too, and made anew where it is damaged', async () => {
  const folder = join(directory, 'models')
  const [path = '', other] = await Promise.all([prepareBundledModel(folder), prepareBundledModel(folder)])
  expect(other).toBe(path)
  expect(readdirSync(folder)).toEqual(['all-MiniLM-L6-v2-int8.onnx'])
  const made = readFileSync(path)
  const { ino, mode } = statSync(path)
  expect(mode & 0o777).toBe(0o600)
  expect(await prepareBundledModel(folder)).toBe(path)
  expect(statSync(path).ino).toBe(ino)

  truncateSync(path, 1_000)
  await prepareBundledModel(folder)
  expect(readFileSync(path).equals(made)).toBe(true)
  const damaged = Buffer.from(made)
  damaged[10_000_000]! ^= 1
  writeFileSync(path, damaged)
  await prepareBundledModel(folder)
  expect(readFileSync(path).equals(made)).toBe(true)
})

test('where the file cannot be made, no text has a vector, and one sentence says why', async () => {
  const file = join(directory, 'file')
  writeFileSync(file, '')
  const embeddings = await openBundledEmbeddings(file)
  expect(embeddings.embedder).toBeUndefined()
  expect(embeddings.lexicalReason).toBe(
    `Search compares terms only: ${file} is a file, and should be the folder of the embedding model`
  )
  expect(await embeddings.embed(['budget'])).toEqual([undefined])
  await embeddings.check()
  await embeddings.close()
})

test('the model is neither made nor loaded for texts that it does not know', async () => {
  const folder = join(directory, 'unused')
  const embeddings = await openBundledEmbeddings(folder)
  expect(await embeddings.embed(['我们在周五发布计划。', 'Мы выпускаем план.'])).toEqual([undefined, undefined])
  expect(existsSync(folder)).toBe(false)
  await embeddings.close()
})

test('quantized rows differ from the numbers by at most half of their scale', () => {
  const { data, scales } = quantizeRows(Float32Array.of(0.49, -1, 0.25, 0, 0, 0), 3)
  expect([...data]).toEqual([31, -63, 16, 0, 0, 0])
  expect(scales[0]).toBeCloseTo(1 / 63, 8)
  expect([...transpose(data, 3)]).toEqual([31, 0, -63, 0, 16, 0])
})

test('the runtime reads a model file: its weights, operators and attributes', async () => {
  const parts = encodeModel({
    inputs: ['ids'],
    output: 'vectors',
    operators: [
      { type: 'Gather', inputs: ['table', 'ids'], outputs: ['rows'], attributes: { axis: 0 } },
      { type: 'LeakyRelu', inputs: ['rows'], outputs: ['vectors'], attributes: { alpha: 0.5 } }
    ],
    weights: [{ name: 'table', dims: [200, 2], data: Float32Array.from({ length: 400 }, (_, at) => at - 2) }]
  })
  const { InferenceSession, Tensor } = await loadRuntime()
  const session = await InferenceSession.create(Buffer.concat(parts))
  const { vectors } = await session.run({ ids: new Tensor('int64', [0n, 199n], [1, 2]) })
  expect([vectors!.dims, [...(vectors!.data as Float32Array)]]).toEqual([
    [1, 2, 2],
    [-1, -0.5, 396, 397]
  ])
  await session.release()
})
