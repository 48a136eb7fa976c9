import { invalid } from '../../platform/core/api-error.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { daysAfter, localDay } from '../../platform/text/calendar-day.ts'
import { instantOf } from '../../platform/text/wall-time.ts'
import { operation } from '../access/operation.ts'
import { selectTalkTimes, selectTalkTimesWithin, type TalkTime } from '../library/talk-time.ts'
import type { Services } from '../services.ts'
import {
  type Count,
  countFolders,
  countOpenItems,
  countPeriods,
  countUnfinished,
  DUES,
  type Due,
  type FolderCount,
  findAssigneeNames,
  findSpan
} from './overview-queries.ts'
import { mondayOf, type OverviewRange, type RangeUnit, splitRange } from './overview-range.ts'
import { findStats } from './stats.ts'

/** A time with its conversations. The instants are midnights in the time zone of the user. */
export type Period = Count & { day: string; since: string; until: string }

export interface Overview {
  /** All listed sessions. */
  total: Count
  /** This week, and what the week before had at the same time. */
  week: Period & { before: Count }
  /** The range with its parts in order. Without bounds it is all there is. */
  range: Count & { unit: RangeUnit; parts: Period[]; bounds: { since: string; until: string } | undefined }
  /** The sessions of the range by type, the most frequent first. */
  types: { type: string; sessions: number }[]
  /** The folders with the most sessions of the range. */
  folders: FolderCount[]
  /** The people with the most talk time in the range. */
  people: TalkTime[]
  openItems: {
    total: number
    today: string
    nextWeek: string
    dues: { due: Due; items: number }[]
    /** The assignees with the most open items. Null is nobody. */
    assignees: { name: string | null; items: number }[]
  }
  unfinished: { processing: number; failed: number }
}

/** The names that a figure has. */
const MAX_NAMES = 10

/** Returns the figures of a user's library over a range. Days and due dates are those of the time zone. */
export const getOverview = operation(
  'getOverview',
  async (
    { slow, clock }: Pick<Services, 'slow' | 'clock'>,
    actor,
    { timeZone, range }: { timeZone: string; range: OverviewRange }
  ): Promise<Overview> => {
    const { userId } = actor
    const now = clock.now()
    const today = localDay(now, timeZone)
    const midnight = (day: string) => instantOf({ text: `${day}T00:00:00`, utc: false }, timeZone).toISOString()
    const found = (await findSpan(slow, userId)) ?? { first: now, last: now }
    const dayOf = (instant: Date) => inReach(localDay(instant, timeZone))
    const span = { since: dayOf(found.first), until: inReach(daysAfter(dayOf(found.last), 1)) }
    const { since, until } = toDays(range, today, span)
    const ranged = { since: midnight(since), until: midnight(until) }
    const bounds = isWhole(range) ? undefined : ranged
    const { unit, days } = splitRange(since, until)
    const midnights = days.map(midnight)
    const counted = findStats(slow, userId, { since: midnight(span.since), until: midnight(span.until) })
    const [all, within, week, parts, folders, people, openItems, unfinished] = await Promise.all([
      counted,
      bounds ? findStats(slow, userId, bounds) : counted,
      countWeek(slow, userId, { today, now, midnight }),
      countPeriods(slow, userId, midnights),
      countFolders(slow, userId, { ...ranged, limit: MAX_NAMES }),
      bounds ? selectTalkTimesWithin(slow, userId, bounds, MAX_NAMES) : selectTalkTimes(slow, userId, MAX_NAMES),
      openItemsOf(slow, userId, today),
      countUnfinished(slow, userId)
    ])
    const types = Object.entries(within.sessions_by_type).map(([type, sessions]) => ({ type, sessions }))
    return {
      total: { sessions: all.total_sessions, seconds: all.total_duration_seconds },
      week,
      range: {
        sessions: within.total_sessions,
        seconds: within.total_duration_seconds,
        unit,
        bounds,
        parts: parts.map((count, at) => {
          const [since = '', until = ''] = midnights.slice(at)
          return { ...count, day: days[at] ?? '', since, until }
        })
      },
      types: types.toSorted((one, other) => other.sessions - one.sessions || (one.type < other.type ? -1 : 1)),
      folders,
      people,
      openItems,
      unfinished
    }
  }
)

/** Midnights beyond these days are in years that the database does not take. */
function inReach(day: string) {
  return day < '0001-01-03' ? '0001-01-03' : day > '9999-12-30' || day.length > 10 ? '9999-12-30' : day
}

function isWhole(range: OverviewRange) {
  return !('weeks' in range) && range.since === undefined && range.until === undefined
}

/** The first day of a range, and the day after its last one. An open end is that of the library, or today. */
function toDays(range: OverviewRange, today: string, span: { since: string; until: string }) {
  if ('weeks' in range) {
    const monday = mondayOf(today)
    return { since: daysAfter(monday, -7 * (range.weeks - 1)), until: daysAfter(monday, 7) }
  }
  const tomorrow = daysAfter(today, 1)
  const { since = span.since, until = span.until > tomorrow ? span.until : tomorrow } = range
  if (since < until) return { since, until }
  if (range.since === undefined) return { since: daysAfter(until, -1), until }
  if (range.until === undefined) return { since, until: daysAfter(since, 1) }
  throw invalid({ field: 'until', problem: 'the range has no day', expected: `a day after ${since}` })
}

interface Today {
  today: string
  now: Date
  midnight: (day: string) => string
}

async function countWeek(db: Queryable, userId: string, { today, now, midnight }: Today) {
  const day = mondayOf(today)
  const [since, until] = [midnight(day), midnight(daysAfter(day, 7))]
  const start = midnight(daysAfter(day, -7))
  const sameTime = new Date(Math.max(Date.parse(start), now.getTime() - 7 * 86_400_000)).toISOString()
  const [before, , week] = await countPeriods(db, userId, [start, sameTime, since, until])
  const none = { sessions: 0, seconds: 0 }
  return { ...(week ?? none), day, since, until, before: before ?? none }
}

async function openItemsOf(db: Queryable, userId: string, today: string) {
  const nextWeek = daysAfter(today, 7)
  const items = await countOpenItems(db, userId, { today, nextWeek, assignees: MAX_NAMES })
  const assignees = items.flatMap(row => (row.by === 'assignee' ? [row] : []))
  const keys = assignees.flatMap(({ key }) => (key === null ? [] : [key]))
  const names = await findAssigneeNames(db, userId, keys)
  const dues = DUES.map(due => ({ due, items: items.find(({ by, key }) => by === 'due' && key === due)?.items ?? 0 }))
  return {
    total: dues.reduce((sum, due) => sum + due.items, 0),
    today,
    nextWeek,
    dues,
    assignees: assignees.map(({ key, items: count }) => ({
      name: key === null ? null : (names.get(key) ?? key),
      items: count
    }))
  }
}
