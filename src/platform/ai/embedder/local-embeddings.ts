import { existsSync } from 'node:fs'
import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Prefixes } from '../../config/embedding-settings.ts'
import type { Embeddings, TextInput } from '../ai.ts'
import { openThread } from '../thread.ts'
import { BUNDLED_MODEL, hasModelFile, MODEL_BYTES } from './bundled-file.ts'
import { ModelUnusable, readModelFolder } from './model-folder.ts'
import { loadRuntime } from './runtime.ts'
import type { Text, WorkerData } from './worker.ts'

/** Embeds by the bundled model, whose file is made in `folder` when it is first used, unless the image has it. If that fails, search compares terms only. */
export async function openBundledEmbeddings(folder: string): Promise<Embeddings> {
  const obstacle = (await findRuntimeObstacle()) ?? (await findObstacle(folder))
  return obstacle === undefined ? openLocalEmbeddings(BUNDLED_MODEL, { bundledIn: folder }) : noEmbeddings(obstacle)
}

/** Embeds by the model in the folder. Throws a ModelUnusable unless it can embed a text as long as the model reads. */
export async function openFolderEmbeddings(folder: string, prefixes: Prefixes): Promise<Embeddings> {
  const model = await readModelFolder(folder, prefixes)
  const obstacle = await findRuntimeObstacle()
  if (obstacle) throw new ModelUnusable(`${obstacle}; set EMBEDDING_MODEL=none or EMBEDDING_BASE_URL`)
  const embedder = { model: model.name, dimension: 0 }
  const embeddings = openLocalEmbeddings(embedder, model)
  try {
    const [vector] = await embeddings.embed(['word '.repeat(model.maxTokens)])
    embedder.dimension = vector?.length ?? 0
    return embeddings
  } catch (error) {
    await embeddings.close()
    const [reason] = String(error instanceof Error ? error.message : error).split('\n')
    throw new ModelUnusable(
      `the model in ${folder} does not work; download it again, or choose another one (${reason})`
    )
  }
}

/** Embeddings that are off, either by configuration or for the given reason. */
export function noEmbeddings(reason?: string): Embeddings {
  return {
    embedder: undefined,
    lexicalReason: reason && `Search compares terms only: ${reason}`,
    embed: async texts => texts.map(() => undefined),
    check: async () => {},
    close: async () => {}
  }
}

/** The number of passages that a session queues at a time. No passage of another session runs in between. */
const AHEAD = 16

/**
 * Embeds on a worker thread, one text at a time. A query waits for one or two texts. The first passages of a session precede later ones
 * of another, so that a short session does not wait for a long one.
 */
function openLocalEmbeddings(embedder: Embeddings['embedder'], data: WorkerData): Embeddings {
  const thread = openThread<Text, number[] | undefined>(new URL('./worker.ts', import.meta.url), { data })

  async function embed(texts: string[], signal?: AbortSignal, input: TextInput = 'passage') {
    const vectors: (number[] | undefined)[] = []
    for (let from = 0; from < texts.length; from += AHEAD) {
      const rank = input === 'query' ? -1 : from
      vectors.push(
        ...(await Promise.all(texts.slice(from, from + AHEAD).map(text => thread.ask({ text, input }, signal, rank))))
      )
    }
    return vectors
  }

  return {
    embedder,
    lexicalReason: undefined,
    embed,
    async check(signal) {
      await embed(['ready'], signal)
    },
    close: () => thread.close()
  }
}

async function findRuntimeObstacle() {
  try {
    await loadRuntime()
    return undefined
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n')
    return `the runtime of the embedding model does not load on this machine (${reason})`
  }
}

async function findObstacle(folder: string) {
  if (hasModelFile(folder)) return undefined
  const existing = [folder, dirname(folder)].find(path => existsSync(path))
  try {
    if (!existing) return undefined
    await access(existing, constants.W_OK)
    if (!(await stat(existing)).isDirectory())
      return `${existing} is a file, and should be the folder of the embedding model`
    const { bavail, bsize } = await statfs(existing)
    return bavail * bsize < MODEL_BYTES
      ? `the embedding model takes 23 MiB of ${folder}, and that disk has less room`
      : undefined
  } catch (error) {
    return `the embedding model cannot be written to ${folder} (${error instanceof Error ? error.message : error})`
  }
}
