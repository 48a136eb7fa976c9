import type OpenAI from 'openai'
import { APIConnectionTimeoutError, APIError } from 'openai'
import type { Provider } from '../../config/provider-settings.ts'
import { connectionFailure } from '../../net/connection-failure.ts'
import { AiError } from '../ai.ts'

/** The change that another request needs to succeed: a shorter input, a smaller or another file, or another of the fields. */
type RefusalReason = 'too_long' | 'too_large' | 'unreadable' | Field

/** Fields of a request that not every server takes. */
const FIELDS = ['temperature', 'response_format', 'chunking_strategy', 'known_speaker', 'language', 'prompt'] as const
type Field = (typeof FIELDS)[number]

export class ProviderError extends AiError {
  readonly reason: RefusalReason | undefined

  constructor(message: string, options: { final: boolean; reason?: RefusalReason | undefined }) {
    super(message, options)
    this.reason = options.reason
  }
}

interface Sent {
  signal: AbortSignal | undefined
  /** The settings that name the provider begin with this word. */
  settings?: Provider['settings']
  /** The users' words in the request: an error message must not repeat them. */
  content?: string
}

/** Awaits a request of the SDK. Rejects with the signal's reason when that aborted the request, and with a ProviderError otherwise. */
export async function responseTo<T>(
  client: OpenAI,
  request: Promise<T>,
  { signal, settings = 'OPENAI', content = '' }: Sent
): Promise<T> {
  try {
    return await request
  } catch (error) {
    signal?.throwIfAborted()
    throw toProviderError(error, settings, client.apiKey, content)
  }
}

// The SDK's error is not passed on as the cause: it holds the provider's message uncut.
function toProviderError(error: unknown, settings: string, apiKey: string | null, content: string) {
  if (error instanceof APIError && error.status !== undefined)
    return refusal(error, error.status, settings, apiKey, content)
  if (error instanceof APIConnectionTimeoutError)
    return new ProviderError('The AI provider did not answer in time.', { final: false })
  if (error instanceof SyntaxError) return new ProviderError('The AI provider sent broken JSON.', { final: false })
  const failure = connectionFailure(error)
  const message = failure
    ? `The AI provider ${failure.words} (${failure.code}); ${failure.remedy ?? `start it, or correct ${settings}_BASE_URL`}.`
    : `The connection to the AI provider failed (${innermostCode(error)}).`
  return new ProviderError(message, { final: false })
}

const PASSING = new Set([402, 408, 409, 425, 429])
const HINTS: Record<number, string> = {
  401: 'API_KEY',
  403: 'API_KEY',
  404: 'BASE_URL and the name of the model'
}

function refusal(error: APIError, status: number, settings: string, apiKey: string | null, content: string) {
  const reply = error.message.replace(/^\d{3} /, '')
  const hint = HINTS[status] ? ` (check ${settings}_${HINTS[status]})` : ''
  const message = `The AI provider answered ${status}${hint}: ${toLogLine(reply, apiKey, content)}`
  return new ProviderError(message, {
    final: status < 500 && !PASSING.has(status),
    reason: classifyRefusal(status, error.code, reply)
  })
}

function classifyRefusal(status: number, code: unknown, reply: string): RefusalReason | undefined {
  if (status === 415) return 'unreadable'
  if (status !== 400 && status !== 413 && status !== 422) return undefined
  if (code === 'context_length_exceeded' || TOO_LONG.test(reply)) return 'too_long'
  if (status === 413 || TOO_LARGE.test(reply)) return 'too_large'
  if (/response_format|json_schema/i.test(reply)) return 'response_format'
  return FIELDS.find(field => reply.includes(field)) ?? (UNREADABLE.test(reply) ? 'unreadable' : undefined)
}

// Servers agree neither on a code nor on words for an input longer than the model takes, or for a file that it cannot read.
const TOO_LONG =
  /context.{0,20}(length|size|window)|less than \d+ tokens|too (long|large|many tokens)|maximum.{0,30}tokens/i
const TOO_LARGE = /longer than \d+ seconds|size limit|maximum.{0,20}(file|content|upload).{0,10}size/i
const UNREADABLE = /(file|audio) format|unsupported.{0,20}(file|format|media)|(not|n't) be decoded|corrupt/i

/** The provider's words on one line of at most 300 characters, without the key and without what users said. */
function toLogLine(reply: string, apiKey: string | null, content: string) {
  const line = (apiKey ? reply.replaceAll(apiKey, '***') : reply)
    .slice(0, 2000)
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
  // The search goes beyond the limit, so that it finds an echo that the limit cuts off.
  const isEcho = repeats(line.slice(0, REASON_LENGTH + ECHO_LENGTH), content)
  return isEcho ? 'its reason repeats the input and is left out' : line.slice(0, REASON_LENGTH)
}

const REASON_LENGTH = 300
const ECHO_LENGTH = 16

/** Returns whether the line quotes the content: 16 characters of one of its texts, or all of a shorter text, as whole words. */
function repeats(line: string, content: string) {
  const parts = Array.from({ length: Math.max(line.length - ECHO_LENGTH + 1, 0) }, (_, at) =>
    line.slice(at, at + ECHO_LENGTH)
  )
  const hasWords = (text: string) =>
    new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(text)}(?![\\p{L}\\p{N}])`, 'iu').test(line)
  const texts = [content, ...content.split('\n')].map(text => text.replace(/\s+/g, ' ').trim())
  return texts.some(text =>
    text.length < ECHO_LENGTH ? text !== '' && hasWords(text) : parts.some(part => text.includes(part))
  )
}

/** The code of the innermost cause, or its message without a URL, which may hold a password. */
function innermostCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  if (error.cause instanceof Error) return innermostCode(error.cause)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message.replace(/\S*:\/\/\S*/g, '…')
}
