import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ai } from '../src/platform/ai/ai.ts'

const FOLDER = fileURLToPath(new URL('.cache/', import.meta.url))
const SUMMARIZER = fileURLToPath(new URL('../src/platform/ai/summarizer/', import.meta.url))

type Vector = Awaited<ReturnType<Ai['embed']>>[number] | undefined

/** Texts whose vectors distinguish models and their tokenization. */
const PROBES = [
  'Who takes care of the budget?',
  'Ada: The printer jams whenever the paper is damp, and nobody has the key. '.repeat(40)
]

/** Wraps an AI so that it makes each summary and each vector once and keeps them on disk. `made` is a digest of the models and code. */
export async function cachedAi(ai: Ai): Promise<{ ai: Ai; made: string }> {
  const probes = await ai.embed(PROBES)
  const made = digestOf(
    ai.embedder?.model ?? '',
    JSON.stringify(probes.map(vector => vector?.map(value => value.toFixed(3))))
  )
  const summarizer = digestOf(...filesBelow(SUMMARIZER).map(file => readFileSync(file, 'utf8')))
  const vectors = openCache(`vectors-${made}`)
  const summaries = openCache(`summaries-${summarizer}`)

  const cached: Ai = {
    ...ai,
    async embed(texts, signal, input = 'passage') {
      const keys = texts.map(text => digestOf(input, text))
      const missing = texts.filter((_, at) => !vectors.has(keys[at]!))
      const found = missing.length > 0 ? await ai.embed(missing, signal, input) : []
      for (const [at, text] of missing.entries()) vectors.add(digestOf(input, text), toText(found[at]))
      return keys.map(key => fromText(vectors.get(key))) as Awaited<ReturnType<Ai['embed']>>
    },
    async summarize(conversation, signal) {
      const key = digestOf(JSON.stringify(conversation))
      if (!summaries.has(key)) summaries.add(key, JSON.stringify(await ai.summarize(conversation, signal)))
      return JSON.parse(summaries.get(key))
    }
  }
  return { ai: cached, made: digestOf(made, summarizer) }
}

/** Opens texts by key, one per line in an append-only file. */
function openCache(name: string) {
  const file = join(FOLDER, name)
  mkdirSync(dirname(file), { recursive: true })
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  // Drops the last line, which an interrupted run may have left incomplete.
  const known = new Map(
    lines.slice(0, -1).map((line): [string, string] => [line.slice(0, KEY_LENGTH), line.slice(KEY_LENGTH + 1)])
  )
  if (lines.at(-1)) appendFileSync(file, '\n')
  return {
    has: (key: string) => known.has(key),
    get: (key: string) => known.get(key) ?? '',
    add(key: string, value: string) {
      known.set(key, value)
      appendFileSync(file, `${key} ${value}\n`)
    }
  }
}

const KEY_LENGTH = 24

export function digestOf(...texts: string[]) {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(text).update('\0')
  return hash.digest('hex').slice(0, KEY_LENGTH)
}

/** Lists the files of a folder and its subfolders, in order. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
}

/** Encodes a vector in single precision, as models compute it; an empty text if the model has no vector. */
function toText(vector: Vector) {
  return vector ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : ''
}

function fromText(text: string): Vector {
  if (text === '') return undefined
  const bytes = Buffer.from(text, 'base64')
  return [...new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))]
}
