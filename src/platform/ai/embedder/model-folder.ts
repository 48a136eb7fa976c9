import { createHash } from 'node:crypto'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Prefixes } from '../../config/embedding-settings.ts'
import { OperatorError } from '../../core/operator-error.ts'

/** A model that the operator provides, with the settings to run it. */
export const FolderModel = z.object({
  /** Derived from everything that affects the vectors of passages, but not from the path of the folder. */
  name: z.string(),
  weights: z.string(),
  tokenizer: z.string(),
  maxTokens: z.number(),
  pooling: z.enum(['mean', 'cls']),
  prefixes: z.object({ query: z.string().optional(), passage: z.string().optional() })
})
export type FolderModel = z.output<typeof FolderModel>

/** The folder cannot be used as a model. */
export class ModelUnusable extends OperatorError {
  constructor(sentence: string) {
    super(`EMBEDDING_MODEL: ${sentence}`)
  }
}

/** The first that exists is used. */
const WEIGHTS = ['onnx/model.onnx', 'model.onnx', 'onnx/model_quantized.onnx']

/** A passage has at most 400 words, and the memory of attention grows with the square of the tokens. */
const MAX_WINDOW = 1_024
/** The maximum input of a model that names none. */
const USUAL_TOKENS = 512
/** Models of RoBERTa's family use no position below 2. */
const UNUSED_POSITIONS = 2

const ModelConfig = z.object({ max_position_embeddings: z.int().min(8).optional() })
const SentenceConfig = z.object({ max_seq_length: z.int().min(8).nullish() })
const Prompts = z.object({
  prompts: z.record(z.string(), z.string()).default({}),
  default_prompt_name: z.string().nullish()
})
const Modules = z.array(z.object({ type: z.string() }))
const Pooling = z.record(z.string(), z.unknown())

const KNOWN_MODULES = ['Transformer', 'Pooling', 'Normalize']
/** The spellings of the two versions of sentence-transformers' file. */
const POOLINGS: Record<string, FolderModel['pooling']> = {
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_cls_token: 'cls',
  mean: 'mean',
  cls: 'cls'
}

/** Reads a folder in Hugging Face's layout. Throws a ModelUnusable with a sentence that says what to do. */
export async function readModelFolder(folder: string, settings: Prefixes): Promise<FolderModel> {
  if (!existsSync(folder))
    throw new ModelUnusable(`there is no folder ${folder}; download a model into it, or correct the path`)
  if (!statSync(folder).isDirectory())
    throw new ModelUnusable(`${folder} is a file; name the folder that contains the model`)
  const weights = findFile(folder, WEIGHTS)
  const tokenizer = findFile(folder, ['tokenizer.json'])
  const modules = await readJson(folder, 'modules.json', Modules, [])
  const unknown = modules.find(({ type }) => !KNOWN_MODULES.some(known => type.endsWith(`.${known}`)))
  if (unknown)
    throw new ModelUnusable(
      `${folder} needs ${unknown.type}, which this server does not have; choose a model without it`
    )
  const pooling = poolingOf(folder, await readJson(folder, '1_Pooling/config.json', Pooling, {}))
  const maxTokens = await readWindow(folder)
  const prefixes = await readPrefixes(folder, settings)
  const digest = await digestOf([weights, `${weights}_data`, tokenizer], {
    pooling,
    maxTokens,
    passage: prefixes.passage
  })
  return { name: `local-${digest.slice(0, 16)}`, weights, tokenizer, maxTokens, pooling, prefixes }
}

function findFile(folder: string, names: string[]) {
  const found = names.map(name => join(folder, name)).find(path => existsSync(path))
  if (!found) throw new ModelUnusable(`${folder} has no ${names.join(' or ')}; download all files of the model again`)
  return found
}

/** A file that is not there reads as `fallback`. */
async function readJson<T>(folder: string, name: string, shape: z.ZodType<T>, fallback: unknown): Promise<T> {
  const path = join(folder, name)
  try {
    return shape.parse(existsSync(path) ? JSON.parse(await readFile(path, 'utf8')) : fallback)
  } catch (error) {
    const reason =
      error instanceof z.ZodError
        ? error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`).join(', ')
        : error
    throw new ModelUnusable(`${path} cannot be read (${reason}); download it again`)
  }
}

/** Without a file it is the mean, as in sentence-transformers. */
function poolingOf(folder: string, config: Record<string, unknown>) {
  const modes = Object.entries(config).flatMap(([key, value]) => {
    if (key === 'pooling_mode') return [String(value)]
    return key.startsWith('pooling_mode_') && value === true ? [key] : []
  })
  const [mode = 'mean', another] = modes
  const pooling = POOLINGS[mode]
  if (!pooling || another)
    throw new ModelUnusable(`${folder} needs the pooling ${modes.join(' and ')}; choose a model with mean or cls`)
  return pooling
}

async function readWindow(folder: string) {
  const { max_seq_length: window } = await readJson(folder, 'sentence_bert_config.json', SentenceConfig, {})
  const { max_position_embeddings: positions = MAX_WINDOW } = await readJson(folder, 'config.json', ModelConfig, {})
  return Math.min(window ?? Math.min(USUAL_TOKENS, positions - UNUSED_POSITIONS), MAX_WINDOW)
}

/** A setting wins over the model's own prompt, whose names are those of sentence-transformers. */
async function readPrefixes(folder: string, settings: Prefixes) {
  const { prompts, default_prompt_name: usual } = await readJson(
    folder,
    'config_sentence_transformers.json',
    Prompts,
    {}
  )
  const common = prompts[usual ?? '']
  return {
    query: settings.query ?? prompts.query ?? common,
    passage: settings.passage ?? prompts.document ?? prompts.passage ?? prompts.corpus ?? common
  }
}

async function digestOf(paths: string[], rest: object) {
  const hash = createHash('sha256').update(JSON.stringify(rest))
  for (const path of paths.filter(path => existsSync(path))) {
    try {
      for await (const part of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(part)
    } catch (error) {
      throw new ModelUnusable(`${path} cannot be read (${error}); let the server's user read it`)
    }
  }
  return hash.digest('hex')
}
