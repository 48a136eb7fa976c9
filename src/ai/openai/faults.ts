import { APIError } from 'openai'
import { AiError } from '../ai.ts'
import { BodyTooLarge } from './fetch.ts'

/** What a refused request was about, where another request can do better. */
type Topic = 'response_format' | 'context'

/** An AiError with what a caller in this folder decides on. */
export class ProviderError extends AiError {
  readonly status: number | undefined
  readonly topic: Topic | undefined

  constructor(message: string, options: { final: boolean; status?: number; topic?: Topic | undefined; cause?: unknown }) {
    super(message, options)
    this.name = 'AiError'
    this.status = options.status
    this.topic = options.topic
  }
}

/** What must not reach an operator's log through the provider's own words. */
export interface Secrets {
  apiKey: string
  /** The users' words that were sent. */
  sent: string
}

const PASSING = new Set([402, 408, 409, 425, 429])
const HINTS: Record<number, string> = {
  401: ' (check OPENAI_API_KEY)',
  403: ' (check OPENAI_API_KEY)',
  404: ' (check OPENAI_BASE_URL and the name of the model)'
}

export function toAiError(fault: unknown, secrets: Secrets): AiError {
  if (fault instanceof AiError) return fault
  if (fault instanceof APIError && fault.status !== undefined) return refusal(fault, fault.status, secrets)
  const cause = innermost(fault)
  if (cause instanceof BodyTooLarge) return new ProviderError('The AI provider sent an answer too large to be one.', { final: false })
  return new ProviderError(`The AI provider could not be reached (${codeOf(cause)}).`, { final: false, cause })
}

// The SDK's error is not passed on as cause: it holds the provider's message uncut.
function refusal(fault: APIError, status: number, secrets: Secrets) {
  const said = fault.message.replace(/^\d{3} /, '')
  const message = `The AI provider answered ${status}${HINTS[status] ?? ''}: ${presentable(said, secrets)}`
  return new ProviderError(message, { final: status < 500 && !PASSING.has(status), status, topic: topicOf(status, fault.code, said) })
}

function topicOf(status: number, code: unknown, said: string): Topic | undefined {
  if (status !== 400 && status !== 413 && status !== 422) return undefined
  if (/response_format|json_schema/i.test(said)) return 'response_format'
  // Servers agree neither on a code nor on words for an input longer than the model takes.
  const tooLong = /context.{0,20}(length|size|window)|less than \d+ tokens|too (long|large|many tokens)|maximum.{0,30}tokens/i
  return code === 'context_length_exceeded' || tooLong.test(said) ? 'context' : undefined
}

/** The provider's words on one line of at most 300 characters, without the key and without what users said. */
function presentable(said: string, { apiKey, sent }: Secrets) {
  const line = said
    .slice(0, 2000)
    .replaceAll(apiKey, '***')
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)
  return repeats(line, sent) ? 'its reason repeats the input and is left out' : line
}

const ECHO_LENGTH = 16

function repeats(line: string, sent: string) {
  const content = sent.replace(/\s+/g, ' ')
  for (let at = 0; at + ECHO_LENGTH <= line.length; at++) {
    if (content.includes(line.slice(at, at + ECHO_LENGTH))) return true
  }
  return false
}

function innermost(fault: unknown): unknown {
  return fault instanceof Error && fault.cause instanceof Error ? innermost(fault.cause) : fault
}

function codeOf(fault: unknown) {
  if (!(fault instanceof Error)) return 'unknown fault'
  return 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.name
}
