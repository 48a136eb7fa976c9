import { z } from 'zod'
import { sentOnce } from './common.ts'
import { isInstant, isLocal, toUtc } from './instant.ts'
import { FIELD_LIMITS } from './limits.ts'

/** A `format` of date-time would make gateways refuse a day, and a time without an offset. */
const DAY_OR_INSTANT = {
  pattern: '^\\d{4}-\\d{2}-\\d{2}(?:[Tt ][\\d:.,]+(?:[Zz]|[+-][\\d:]+)?)?$',
  examples: ['2026-03-02T10:00:00Z']
}

export const instantError = 'an ISO 8601 date such as 2026-03-02T10:00:00Z'

/** An ISO 8601 instant or day, in UTC with microseconds, because cursors have them. A day means midnight UTC. */
export const instantOrDay = z
  .string(sentOnce(instantError))
  .max(FIELD_LIMITS.instant, instantError)
  .refine(isInstant, { error: instantError, abort: true })
  .overwrite(toUtc)
  .meta(DAY_OR_INSTANT)

/** The same, but an instant without an offset stays as it is, because it belongs to the time zone of the user. */
export const localInstantOrDay = z
  .string(sentOnce(instantError))
  .max(FIELD_LIMITS.instant, instantError)
  .refine(isInstant, { error: instantError, abort: true })
  .overwrite(text => (isLocal(text) ? text : toUtc(text)))
  .meta(DAY_OR_INSTANT)
