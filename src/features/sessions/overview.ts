import { daysAfter, localDay } from '../../platform/text/calendar-day.ts'
import { instantOf } from '../../platform/text/wall-time.ts'
import { operation } from '../access/operation.ts'
import { selectTalkTimes, type TalkTime } from '../library/talk-time.ts'
import type { Services } from '../services.ts'
import {
  type Count,
  countOpenItems,
  countPeriods,
  countTypes,
  countUnfinished,
  DUES,
  type Due,
  findAssigneeNames
} from './overview-queries.ts'

export interface Overview {
  /** All listed sessions. */
  total: Count
  /** The last weeks from Monday to Sunday, the current one last. */
  weeks: (Count & { day: string; since: string; until: string })[]
  /** All listed sessions by type, the most frequent first. */
  types: (Count & { type: string })[]
  /** The people with the most talk time in all listed sessions. */
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

const WEEKS = 26
/** The people and assignees that a figure has. */
const MAX_NAMES = 10

/** Returns the figures of a user's library. Weeks and due dates are those of the time zone. */
export const getOverview = operation(
  'getOverview',
  async (
    { slow, clock }: Pick<Services, 'slow' | 'clock'>,
    actor,
    { timeZone }: { timeZone: string }
  ): Promise<Overview> => {
    const { userId } = actor
    const today = localDay(clock.now(), timeZone)
    const mondays = listMondays(today)
    const midnights = mondays.map(day => instantOf({ text: `${day}T00:00:00`, utc: false }, timeZone).toISOString())
    const nextWeek = daysAfter(today, 7)
    const [weeks, types, people, items, unfinished] = await Promise.all([
      countPeriods(slow, userId, midnights),
      countTypes(slow, userId),
      selectTalkTimes(slow, userId, MAX_NAMES),
      countOpenItems(slow, userId, { today, nextWeek, assignees: MAX_NAMES }),
      countUnfinished(slow, userId)
    ])
    const assignees = items.flatMap(row => (row.by === 'assignee' ? [row] : []))
    const keys = assignees.flatMap(({ key }) => (key === null ? [] : [key]))
    const names = await findAssigneeNames(slow, userId, keys)
    const dues = DUES.map(due => ({ due, items: items.find(({ by, key }) => by === 'due' && key === due)?.items ?? 0 }))
    return {
      total: sumOf(types),
      weeks: weeks.map((count, at) => ({
        ...count,
        day: mondays[at] ?? '',
        since: midnights[at] ?? '',
        until: midnights[at + 1] ?? ''
      })),
      types,
      people,
      openItems: {
        total: dues.reduce((sum, due) => sum + due.items, 0),
        today,
        nextWeek,
        dues,
        assignees: assignees.map(({ key, items }) => ({ name: key === null ? null : (names.get(key) ?? key), items }))
      },
      unfinished
    }
  }
)

/** The Mondays of the weeks in order, and the one after the current week. */
function listMondays(today: string) {
  const weekday = (new Date(today).getUTCDay() + 6) % 7
  return Array.from({ length: WEEKS + 1 }, (_, week) => daysAfter(today, (week + 1 - WEEKS) * 7 - weekday))
}

function sumOf(counts: readonly Count[]): Count {
  const sum = (of: (count: Count) => number) => counts.reduce((total, count) => total + of(count), 0)
  return { sessions: sum(({ sessions }) => sessions), seconds: sum(({ seconds }) => seconds) }
}
