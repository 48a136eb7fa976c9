import { z } from 'zod'
import { OperatorError } from '../core/operator-error.ts'
import { booleanSetting, count, httpUrl, tokens } from './settings.ts'

/** The size of a recording that OpenAI takes at most. */
export const OPENAI_MAX_BYTES = 25 * 1024 ** 2

export const PROVIDER_SETTINGS = {
  OPENAI_API_KEY: z
    .string()
    .min(1)
    .optional()
    .describe('Key of an OpenAI-compatible provider. Without it the offline models are used'),
  OPENAI_BASE_URL: httpUrl
    .default('https://api.openai.com/v1')
    .describe('URL of the provider, up to and including `/v1`'),
  SUMMARY_MODEL: z
    .string()
    .min(1)
    .default('gpt-4.1-mini')
    .describe(
      "The provider's model for summaries and action items, or `none` for those of the offline summarizer beside a provider"
    ),
  // With less than this, the instructions leave no room for a conversation.
  SUMMARY_CONTEXT_TOKENS: tokens(4_000)
    .optional()
    .describe(
      'Tokens that `SUMMARY_MODEL` reads and writes in one request; longer conversations are summarized in parts. Unless set it follows the name of the model, and is 32000 for other names'
    ),
  TRANSCRIPTION_MODEL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Model for transcripts of recordings, such as `whisper-1`. Without it the server refuses recordings that have no transcript'
    ),
  TRANSCRIPTION_BASE_URL: httpUrl
    .optional()
    .describe(
      'URL of a transcription server, up to and including `/v1`. `OPENAI_BASE_URL` unless set. Needs `TRANSCRIPTION_MODEL`'
    ),
  TRANSCRIPTION_API_KEY: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Key of the transcription server, if it needs one. The server of `TRANSCRIPTION_BASE_URL` never gets `OPENAI_API_KEY`'
    ),
  TRANSCRIPTION_SPEAKERS: booleanSetting
    .default(false)
    .describe(
      'Whether to ask the transcription model who speaks: `true` for one that tells speakers apart, such as `gpt-4o-transcribe-diarize`'
    ),
  TRANSCRIPTION_MAX_BYTES: count(OPENAI_MAX_BYTES)
    .refine(bytes => bytes >= 100_000, 'a number of bytes from 100000')
    .describe(
      `Size of the largest recording that the transcription server takes, in bytes; OpenAI takes ${OPENAI_MAX_BYTES}. A larger one is cut into parts, which needs \`ffmpeg\``
    )
}

/** An OpenAI-compatible server and the model that it uses for one job. */
export interface Provider {
  model: string
  baseUrl: string
  /** Undefined for a server that wants none. */
  apiKey: string | undefined
  /** The settings that name it begin with this word. */
  settings: 'EMBEDDING' | 'OPENAI' | 'TRANSCRIPTION'
}

/** A server that summarizes conversations. */
export interface SummaryProvider extends Provider {
  /** Undefined for what is usual for the model. */
  contextTokens: number | undefined
}

/** A server that transcribes recordings of up to this size. */
export interface TranscriptionProvider extends Provider {
  maxBytes: number
  /** Whether the model is asked for speakers. */
  asksSpeakers: boolean
}

type Settings = z.output<z.ZodObject<typeof PROVIDER_SETTINGS>>

/** Chooses the provider of summaries and action items; undefined for the offline summarizer. */
export function chooseSummaries(settings: Settings): SummaryProvider | undefined {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, SUMMARY_MODEL: model } = settings
  if (apiKey === undefined || model === 'none') return undefined
  return { model, baseUrl, apiKey, settings: 'OPENAI', contextTokens: settings.SUMMARY_CONTEXT_TOKENS }
}

/** Chooses the provider of transcripts; undefined where nothing transcribes recordings. */
export function chooseTranscription(settings: Settings): TranscriptionProvider | undefined {
  const { TRANSCRIPTION_MODEL: model, TRANSCRIPTION_BASE_URL: baseUrl, TRANSCRIPTION_API_KEY: key } = settings
  const apart = baseUrl !== undefined || key !== undefined
  if (model === undefined && apart)
    throw new OperatorError(
      'TRANSCRIPTION_MODEL: required with TRANSCRIPTION_BASE_URL and TRANSCRIPTION_API_KEY; set the name of the model that the server has'
    )
  if (model === undefined) return undefined
  if (!apart && settings.OPENAI_API_KEY === undefined)
    throw new OperatorError('TRANSCRIPTION_MODEL: needs OPENAI_API_KEY or TRANSCRIPTION_BASE_URL as well')
  return {
    model,
    baseUrl: baseUrl ?? settings.OPENAI_BASE_URL,
    apiKey: apart ? key : settings.OPENAI_API_KEY,
    settings: apart ? 'TRANSCRIPTION' : 'OPENAI',
    maxBytes: settings.TRANSCRIPTION_MAX_BYTES,
    asksSpeakers: settings.TRANSCRIPTION_SPEAKERS
  }
}
