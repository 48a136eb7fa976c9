import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { Provider } from './provider-settings.ts'
import { httpUrl } from './settings.ts'

export const EMBEDDING_SETTINGS = {
  EMBEDDING_MODEL: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Embeddings of search: the name of a provider's model, the folder of a model such as `/models/e5`, `bundled`, or `none` for search by terms alone. Unless set, `text-embedding-3-small` with a provider and `bundled` without one"
    ),
  EMBEDDING_BASE_URL: httpUrl
    .optional()
    .describe(
      'URL of an embedding server, up to and including `/v1`. `OPENAI_BASE_URL` unless set. Needs `EMBEDDING_MODEL`'
    ),
  EMBEDDING_API_KEY: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Key of the embedding server, if it needs one. The server of `EMBEDDING_BASE_URL` never gets `OPENAI_API_KEY`'
    ),
  EMBEDDING_QUERY_PREFIX: z
    .string()
    .optional()
    .describe(
      "Prefix that the model needs before a query, such as `query: ` with its space. The prompt of the model's folder unless set"
    ),
  EMBEDDING_PASSAGE_PREFIX: z
    .string()
    .optional()
    .describe(
      'Prefix that the model needs before a passage, such as `passage: `. A change computes all embeddings again'
    )
}

/** The prefix that a model needs before a text, by the kind of text. */
export interface Prefixes {
  query: string | undefined
  passage: string | undefined
}

export interface EmbeddingProvider extends Provider {
  kind: 'provider'
  prefixes: Prefixes
}

export type EmbedderChoice =
  | { kind: 'none' }
  /** `warning` is a sentence for the operator about a setting that has no effect. */
  | { kind: 'bundled'; warning?: string }
  | { kind: 'folder'; folder: string; prefixes: Prefixes }
  | EmbeddingProvider

type Settings = z.output<z.ZodObject<typeof EMBEDDING_SETTINGS>> & {
  OPENAI_API_KEY?: string | undefined
  OPENAI_BASE_URL: string
}

/** Chooses the source of embeddings. Old settings may name a provider's model without a provider. */
export function chooseEmbedder(settings: Settings): EmbedderChoice {
  const { EMBEDDING_MODEL: model, EMBEDDING_BASE_URL: baseUrl } = settings
  const prefixes = { query: settings.EMBEDDING_QUERY_PREFIX, passage: settings.EMBEDDING_PASSAGE_PREFIX }
  if (model === 'none' || model === 'bundled') return { kind: model }
  if (model && /^(~|\.{1,2})?\//.test(model))
    return { kind: 'folder', folder: resolve(model.replace(/^~(?=\/)/, () => homedir())), prefixes }
  const apart = baseUrl ?? settings.EMBEDDING_API_KEY
  if (!apart && !settings.OPENAI_API_KEY) return { kind: 'bundled', ...(model && { warning: withoutProvider(model) }) }
  return {
    kind: 'provider',
    model: model ?? 'text-embedding-3-small',
    baseUrl: baseUrl ?? settings.OPENAI_BASE_URL,
    apiKey: apart ? settings.EMBEDDING_API_KEY : settings.OPENAI_API_KEY,
    settings: apart ? 'EMBEDDING' : 'OPENAI',
    prefixes
  }
}

function withoutProvider(model: string) {
  return `EMBEDDING_MODEL: ${model} is the name of a provider's model and no provider is set, so the bundled model computes embeddings; set EMBEDDING_BASE_URL or OPENAI_API_KEY, set a folder that begins with / or ./, or leave EMBEDDING_MODEL out`
}
