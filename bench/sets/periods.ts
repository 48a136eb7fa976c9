import type { MadeSession } from './made-library.ts'
import type { Query, QuerySet } from './query-set.ts'

const DAY_MS = 86_400_000
const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** Words for a period, its bounds, and an instant at which the words mean it. */
interface Period {
  words: string
  since: number
  until: number
  now: number
}

const HOUR_MS = 3_600_000

function dayAround(at: Date) {
  const since = Math.floor(at.getTime() / DAY_MS) * DAY_MS
  return { since, until: since + DAY_MS }
}

/** Weeks begin on Monday. */
const startOfWeek = (at: Date) => dayAround(at).since - ((at.getUTCDay() + 6) % 7) * DAY_MS

function monthAround(at: Date) {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return { since: Date.UTC(year, month, 1), until: Date.UTC(year, month + 1, 1) }
}

const nameOf = (at: number) => `${new Date(at).getUTCDate()} ${MONTHS[new Date(at).getUTCMonth()]}`

/** Periods that contain the instant, as people name them afterwards. */
const PERIODS: ((at: Date) => Period)[] = [
  at => ({ words: 'yesterday', ...dayAround(at), now: dayAround(at).until + 15 * HOUR_MS }),
  at => {
    const since = startOfWeek(at)
    const until = since + 7 * DAY_MS
    // On a Monday morning the week before is also the last seven days.
    return { words: 'last week', since, until, now: until + 8 * HOUR_MS }
  },
  at => ({ words: 'last month', ...monthAround(at), now: monthAround(at).until + 9 * DAY_MS }),
  at => ({ words: `in ${MONTHS[at.getUTCMonth()]}`, ...monthAround(at), now: monthAround(at).until + 40 * DAY_MS }),
  at => ({
    words: `in ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`,
    ...monthAround(at),
    now: monthAround(at).until + 300 * DAY_MS
  }),
  at => ({ words: `on ${nameOf(at.getTime())}`, ...dayAround(at), now: dayAround(at).until + 40 * DAY_MS }),
  at => {
    const [first, last] = [dayAround(at).since - 3 * DAY_MS, dayAround(at).since + 4 * DAY_MS]
    return {
      words: `between ${nameOf(first)} and ${nameOf(last)}`,
      since: first,
      until: last + DAY_MS,
      now: last + 40 * DAY_MS
    }
  }
]

const QUESTIONS: ((person: string, topic: string, period: string) => string)[] = [
  (person, topic, period) => `what did ${person} say about ${topic} ${period}`,
  (person, topic, period) => `${person} on ${topic} ${period}`,
  (person, topic, period) => `the ${topic} discussion with ${person} ${period}`,
  (person, topic, period) => `did ${person} mention ${topic} ${period}?`
]

/** Makes questions about what a colleague said about a topic in a period, each with one session that answers it. */
export function periodSet(sessions: readonly MadeSession[], library: string): QuerySet {
  const queries = sessions.flatMap((session, n): Query[] => {
    const { at, topic, document } = session
    const { words, since, until, now } = PERIODS[n % PERIODS.length]!(at)
    const person = session.colleagues.find(
      one => sessions.filter(other => isAnswer(other, one, topic, since, until)).length === 1
    )
    if (!person) return []
    const called = n % 3 === 0 ? person : person.split(' ')[0]!
    const text = QUESTIONS[n % QUESTIONS.length]!(called, topic, words)
    return [{ text, session: document.external_id, now: new Date(now) }]
  })
  return { name: 'person and period', library, queries }
}

function isAnswer({ at, topic, colleagues }: MadeSession, person: string, asked: string, since: number, until: number) {
  return topic === asked && colleagues.includes(person) && at.getTime() >= since && at.getTime() < until
}
