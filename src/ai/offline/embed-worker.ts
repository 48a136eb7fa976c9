import { parentPort } from 'node:worker_threads'
import type { TextInput } from '../ai.ts'
import { type Encode, openEncoder } from './encoder.ts'
import { meanDirection, partsOf, shortenQuery } from './passages.ts'
import { serveThread } from './thread.ts'

export interface Texts {
  texts: string[]
  input: TextInput
}

let encoder: Promise<Encode> | undefined

if (parentPort) serveThread(parentPort, embed)

async function embed({ texts, input }: Texts): Promise<number[][]> {
  encoder ??= openEncoder()
  const encode = await encoder.catch(fault => {
    encoder = undefined
    throw fault
  })
  const isQuery = input === 'query'
  const read = isQuery ? texts.map(shortenQuery) : texts
  return read.map(text => meanDirection(partsOf(text).map(part => encode(part, isQuery))))
}
