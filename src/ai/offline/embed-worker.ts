import { setFlagsFromString } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import type { TextInput } from '../ai.ts'
import { type Encode, openEncoder } from './encoder.ts'
import { meanDirection, partsOf, shortenQuery } from './passages.ts'
import { serveThread } from './thread.ts'

// The server runs with --liftoff-only, which keeps the database engine small and makes this model take three times as long. V8 looks at the
// flags while it compiles, so they are lifted for the time in which the model's code is made.
const OPTIMIZE = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']
const KEEP_SMALL = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']

export interface Texts {
  texts: string[]
  input: TextInput
}

let encoder: Promise<Encode> | undefined

if (parentPort) serveThread(parentPort, embed)

async function embed({ texts, input }: Texts): Promise<number[][]> {
  encoder ??= loadEncoder()
  const encode = await encoder.catch(fault => {
    encoder = undefined
    throw fault
  })
  const isQuery = input === 'query'
  const read = isQuery ? texts.map(shortenQuery) : texts
  return read.map(text => meanDirection(partsOf(text).map(part => encode(part, isQuery))))
}

async function loadEncoder() {
  if (!process.execArgv.includes('--liftoff-only')) return await openEncoder()
  for (const flag of OPTIMIZE) setFlagsFromString(flag)
  try {
    const encode = await openEncoder()
    encode('compiles what is compiled on first use')
    return encode
  } finally {
    for (const flag of KEEP_SMALL) setFlagsFromString(flag)
  }
}
