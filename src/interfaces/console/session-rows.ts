import type { SessionLabels } from '../../features/library/labels.ts'
import type { listSessions } from '../../features/sessions/operations.ts'
import type { Strip } from '../../platform/ports/strip.ts'
import { daysAfter, localDay } from '../../platform/text/calendar-day.ts'
import { showDate } from '../../platform/text/show-date.ts'
import { type Html, html, when } from '../web/html.ts'
import { icon } from '../web/icons.ts'
import { clockOf, lengthOf } from './dates.ts'
import { counted } from './numbers.ts'
import { labelsOf } from './session-labels.ts'
import { typeWords } from './session-types.ts'
import { stripBars, stripFaces } from './strip.ts'
import type { Visit } from './visit.ts'

type Listed = Awaited<ReturnType<typeof listSessions>>['sessions'][number]
/** A session of the user. Those of others have no length in lists. */
type OwnSession = Extract<Listed, { duration_seconds: number }>

interface Clock {
  now: Date
  timeZone: string
}

interface Group {
  heading: string
  /** The days in words, where the heading does not say them. */
  days: string
  rows: Html[]
  seconds: number
}

const STATES = {
  processing: { words: 'Processing', icon: 'spin' },
  failed: { words: 'Failed', icon: 'warn' },
  deleted: { words: 'In the trash', icon: 'trash' }
} as const

/** The sessions of a list below headings: today, yesterday, earlier this week, and then the months. */
export function sessionGroups(
  { link }: Pick<Visit, 'link'>,
  sessions: readonly OwnSession[],
  { labels, strips }: { labels: Map<string, SessionLabels>; strips: Map<string, Strip> },
  { isCut, areSelected, ...clock }: Clock & { isCut: { before: boolean; after: boolean }; areSelected: boolean }
): Html[] {
  const groups: Group[] = []
  for (const session of sessions) {
    const last = groups.at(-1)
    const { heading, days, at } = placeOf(session.timestamp, clock, last)
    const row = sessionRow(link, session, labels.get(session.id), strips.get(session.id), {
      at,
      isSelected: areSelected
    })
    const group: Group = last?.heading === heading ? last : { heading, days, rows: [], seconds: 0 }
    if (group !== last) groups.push(group)
    group.rows.push(row)
    group.seconds += session.duration_seconds
  }
  return groups.map(({ heading, days, rows, seconds }, at) => {
    // A group that goes on on another page has more than these.
    const isWhole = !(at === 0 && isCut.before) && !(at === groups.length - 1 && isCut.after)
    const talked = seconds > 0 ? [lengthOf(seconds)] : []
    const about = [...(days ? [days] : []), ...(isWhole ? [counted(rows.length, 'conversation'), ...talked] : [])]
    return html`<h2 class="group">${heading}${when(about.length > 0, () => html` <span class="quiet">${about.join(', ')}</span>`)}</h2>
<ul class="rows">${rows}</ul>`
  })
}

/** The group of a session, and how its time is written there. One without a date stays with the one before it, beside which it was added. */
function placeOf(timestamp: string | null, { now, timeZone }: Clock, before: Group | undefined) {
  if (timestamp === null) return { heading: before?.heading ?? 'Without a date', days: '', at: 'no date' }
  const instant = new Date(timestamp)
  const [day, today] = [localDay(instant, timeZone), localDay(now, timeZone)]
  const inWords = (options: Intl.DateTimeFormatOptions) => showDate(instant, 'en-GB', { timeZone, ...options })
  const days = inWords({ weekday: 'long', day: 'numeric', month: 'long' })
  if (day === today) return { heading: 'Today', days, at: clockOf(instant, timeZone) }
  if (day === daysAfter(today, -1)) return { heading: 'Yesterday', days, at: clockOf(instant, timeZone) }
  const weekday = (new Date(today).getUTCDay() + 6) % 7
  if (day < today && day >= daysAfter(today, -weekday))
    return { heading: 'Earlier this week', days: '', at: inWords({ weekday: 'short' }) }
  const heading = inWords({ month: 'long', year: 'numeric' })
  return { heading, days: '', at: inWords({ day: 'numeric', month: 'short' }) }
}

/** A row is a link as a whole; what can be chosen in it lies above. */
function sessionRow(
  link: Visit['link'],
  { id, title, duration_seconds: seconds, type, ...session }: OwnSession,
  labels: SessionLabels | undefined,
  strip: Strip | undefined,
  { at, isSelected }: { at: string; isSelected: boolean }
): Html {
  const state = 'state' in session && session.state !== 'completed' ? session.state : undefined
  const kind = typeWords(type)
  const { favorite = false, tags = [], folders = [], brief = null } = labels ?? {}
  const words = state === 'failed' ? session.failure_reason : brief
  return html`<li class="row" id="${id}"><span class="mark"><input class="pick" type="checkbox" name="session" value="${id}" aria-label="Select: ${title}"${when(isSelected, () => html` checked`)}>${icon(kind.icon, kind.words)}</span>
<div class="what"><div class="name"><a class="t" dir="auto" href="${link(`/s/${id}`)}">${title}</a>${when(
    state,
    () =>
      html`<span class="pill ${state ?? ''}">${icon(STATES[state ?? 'processing'].icon)}${STATES[state ?? 'processing'].words}</span>`
  )}</div>${when(words, () => html`<p class="sum" dir="auto">${words}</p>`)}</div>
${labelsOf(link, tags, folders, MAX_LABELS)}
${strip ? html`${stripBars(strip)}${stripFaces(strip)}` : html`<span class="strip"></span><span class="faces"></span>`}
<span class="dur">${seconds > 0 ? lengthOf(seconds) : ''}</span><span class="at-time">${at}</span>
<button class="star" form="favourites" name="${favorite ? 'unstar' : 'star'}" value="${id}" aria-pressed="${String(favorite)}" aria-label="Favourite: ${title}">${icon('star')}</button></li>
`
}

/** The labels that a row has room for. */
const MAX_LABELS = 2
