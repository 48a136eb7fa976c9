import { z } from 'zod'
import type { ErrorCode } from './errors.ts'

/**
 * An instant as the API writes it. A plain string to zod, since checking every row of a list against the
 * date pattern costs more than reading the rows; the format stands in the OpenAPI document.
 */
export const timestamp = z.string().meta({ format: 'date-time', examples: ['2026-03-02T10:00:00.000Z'] })

/** The message of a query parameter that takes one value: a repeated one arrives as a list. */
export function once(otherwise: string) {
  return { error: ({ input }: { input?: unknown }) => (Array.isArray(input) ? 'send it once' : otherwise) }
}

/** A text of so many characters. zod counts them as Unicode code points: an emoji of one is one. */
export function characters(min: number, max: number) {
  const error = min === 0 ? `send a text of at most ${max} characters` : `send a text of ${min} to ${max} characters`
  const text = z.string({ error }).max(max, error)
  return min === 0 ? text : text.min(min, error)
}

/** A query parameter that is a whole number, as text on the wire. */
export function wholeNumber(min: number, max: number) {
  const error = `send a whole number from ${min} to ${max}`
  return z
    .string(once(error))
    .regex(/^\d{1,16}$/, error)
    .transform(Number)
    .refine(value => value >= min && value <= max, error)
    .meta({ type: 'integer', pattern: undefined, minimum: min, maximum: max })
}

/** What every guarded route can answer besides its own errors. */
export const GUARD_ERRORS = [
  // Also where nothing is asked for: a parameter that the route does not know may not carry what no text may.
  'invalid_request',
  'unauthorized',
  'invalid_token',
  'insufficient_scope',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable'
] as const satisfies ErrorCode[]
