import { parentPort } from 'node:worker_threads'
import type { TextInput } from '../ai.ts'
import { serveThread } from '../thread.ts'
import { type Encode, openEncoder } from './encoder.ts'
import { meanEmbedding, shortenQuery, toModelInputs } from './model-input.ts'

export interface Texts {
  texts: string[]
  input: TextInput
}

let encoder: Promise<Encode> | undefined

if (parentPort) serveThread(parentPort, embed)

async function embed({ texts, input }: Texts): Promise<number[][]> {
  encoder ??= openEncoder()
  const encode = await encoder.catch(error => {
    encoder = undefined
    throw error
  })
  const isQuery = input === 'query'
  const read = isQuery ? texts.map(shortenQuery) : texts
  return read.map(text => meanEmbedding(toModelInputs(text).map(part => encode(part, isQuery))))
}
