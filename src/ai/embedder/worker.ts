import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import type { TextInput } from '../ai.ts'
import { serveThread } from '../thread.ts'
import { openBundledModel } from './bundled-model.ts'
import type { Embed } from './encoder.ts'

export interface Text {
  text: string
  input: TextInput
}

const Data = z.object({ folder: z.string() })

let model: Promise<Embed> | undefined

if (parentPort) serveThread(parentPort, embed)

async function embed({ text, input }: Text) {
  model ??= openBundledModel(Data.parse(workerData).folder)
  const read = await model.catch(error => {
    model = undefined
    throw error
  })
  return await read(text, input)
}
