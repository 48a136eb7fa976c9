import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import type { TextInput } from '../ai.ts'
import { serveThread } from '../thread.ts'
import { openBundledModel } from './bundled-model.ts'
import { type Embed, openEncoder } from './encoder.ts'
import { FolderModel } from './model-folder.ts'

export interface Text {
  text: string
  input: TextInput
}

/** The folder of the bundled model's file, or a model that the operator brought. */
const Data = z.union([z.object({ bundledIn: z.string() }), FolderModel])
export type WorkerData = z.output<typeof Data>

let model: Promise<Embed> | undefined

if (parentPort) serveThread(parentPort, embed)

async function embed({ text, input }: Text) {
  model ??= openModel(Data.parse(workerData))
  const read = await model.catch(error => {
    model = undefined
    throw error
  })
  return await read(text, input)
}

async function openModel(data: WorkerData): Promise<Embed> {
  if ('bundledIn' in data) return openBundledModel(data.bundledIn)
  const { encode } = await openEncoder(data)
  return async (text, input) => await encode((data.prefixes[input] ?? '') + text)
}
