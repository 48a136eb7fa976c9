import { z } from 'zod'
import { isInstant, isLocal, toUtc } from '../../contract/instant.ts'
import { FIELD_LIMITS } from '../../contract/limits.ts'
import { daysAfter } from '../../platform/text/calendar-day.ts'
import { instantIn, localTime as wallTimeIn } from '../../platform/text/wall-time.ts'
import type { Call } from './tool.ts'

const error = 'a day such as 2026-03-02, or a time such as 2026-03-02T10:00'

const dayOrTime = z.string({ error }).trim().max(FIELD_LIMITS.instant, error).refine(isInstant, error).optional()

/** The bounds of a period. Days and times without an offset are those of the user. */
export const period = {
  since: dayOrTime.meta({ description: 'The first day, or a time.' }),
  until: dayOrTime.meta({ description: 'The last day, or a time.' })
}

export interface Period {
  since?: string | undefined
  until?: string | undefined
}

/** Returns the bounds as instants, of which the last is exclusive. */
export async function readPeriod(call: Call, { since, until }: Period): Promise<Period> {
  if (since === undefined && until === undefined) return {}
  const { timeZone } = await call.user()
  return {
    since: since === undefined ? undefined : toInstant(since, timeZone),
    until: until === undefined ? undefined : toInstant(dayAfter(until), timeZone)
  }
}

const LAST_DAY = '9999-12-31'

/** The day after a day. A time stays as it is. */
function dayAfter(text: string) {
  return isDay(text) && text !== LAST_DAY ? daysAfter(text, 1) : text
}

function isDay(text: string) {
  return text.length === LAST_DAY.length
}

function toInstant(text: string, timeZone: string) {
  const written = isDay(text) ? `${text}T00:00:00` : text
  if (!isLocal(written)) return toUtc(written)
  const utc = instantIn(written, timeZone).toISOString()
  // An offset may lead out of the years that the database has.
  return isInstant(utc) ? toUtc(utc) : toUtc(`${written}Z`)
}

/** A time as the user's clock shows it, with the offset: `2026-03-02T11:00+01:00`. */
export function localTime(instant: string | null, timeZone: string) {
  if (instant === null) return 'no date'
  const shown = wallTimeIn(new Date(instant), timeZone)
  const minutes = Math.round((Date.parse(`${shown}Z`) - Date.parse(instant)) / 60_000)
  const parts = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map(part => String(part).padStart(2, '0'))
  const offset = minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${parts.join(':')}`
  return `${shown.slice(0, '2026-03-02T11:00'.length)}${offset}`
}
