import { z } from 'zod'
import { SESSION_STATES } from '../../../contract/admin/session.ts'
import { queryOneOf } from '../../../contract/common.ts'
import type { Folder } from '../../../contract/folder.ts'
import { LIMITS } from '../../../contract/limits.ts'
import type { Person } from '../../../contract/person.ts'
import { SESSION_TYPES, sessionListQuery } from '../../../contract/session.ts'
import { listFolders } from '../../../features/folders/operations.ts'
import { listSessionLabels, type SessionLabels } from '../../../features/library/labels.ts'
import { listPeople } from '../../../features/people/list-people.ts'
import { listSessions } from '../../../features/sessions/operations.ts'
import { type Html, html, when } from '../../web/html.ts'
import { moreLink } from '../cards.ts'
import { atTime, lengthOf } from '../dates.ts'
import { firstSteps } from '../first-steps.ts'
import { type Console, NONE } from '../open-console.ts'
import { addressOf, field, filledIn, queryOf, select, withoutEmpty } from '../query-form.ts'
import { labelLinks } from '../session-labels.ts'
import type { Visit } from '../visit.ts'
import { searchBox } from './search.ts'

/** The filters with the names and shapes of the API, so that a link is as good as a request. */
const { limit, cursor, since, until, title, type, folder, person, tag, tag_mode } = sessionListQuery.shape
const status = queryOneOf([...SESSION_STATES, 'all']).optional()
const Filters = z.object({ limit, cursor, since, until, title, type, status, folder, person, tag, tag_mode })
const Query = z.preprocess(filledIn, Filters)

type Row = Awaited<ReturnType<typeof listSessions>>['sessions'][number]

const STATUS_WORDS = {
  processing: 'being processed',
  completed: 'completed',
  failed: 'failed',
  deleted: 'in the trash'
}

/** The user's own sessions, newest first. Without a status, those in the trash are left out. */
export function sessionsPage({ services, user }: Console) {
  user.page('/', { ...NONE, query: Query }, async (visit, { query }) => {
    const short = withoutEmpty('/', visit.address)
    if (short) return short
    const { visitor, link, log, address } = visit
    const { actor, timeZone } = visitor
    const sent = queryOf(address)
    const request = { ...query, status: query.status ?? ('all' as const) }
    const [{ sessions, next_cursor: next }, { folders }, { people }] = await Promise.all([
      listSessions({ ...services, log }, actor, request),
      listFolders(services, actor, { limit: LIMITS.foldersPage.max }),
      listPeople(services, actor, { limit: LIMITS.peoplePage.max })
    ])
    const labels = await listSessionLabels(
      services,
      actor,
      sessions.map(({ id }) => id)
    )
    const rows = sessions.map(session => row(visit, session, labels.get(session.id), timeZone))
    const filters = [...sent].filter(([name]) => name !== 'cursor')
    return {
      title: 'Sessions',
      part: 'sessions',
      main: html`<h1>Sessions</h1>
${searchBox(visit, '')}
${filterForm(visit, sent, folders, people)}
${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : nothing(visit, sent.size > 0, services.publicUrl)}
${moreLink(next, older => link(addressOf('/', [...filters, ['cursor', older]])), 'Older ones')}`
    }
  })
}

function row(
  { link }: Pick<Visit, 'link'>,
  session: Row,
  labels: SessionLabels | undefined,
  timeZone: string
): Html | '' {
  if (!('duration_seconds' in session)) return ''
  const { id, title, timestamp, duration_seconds: seconds, type: kind } = session
  const about = [timestamp ? atTime(new Date(timestamp), timeZone) : 'without a date', kind]
  if (seconds > 0) about.push(lengthOf(seconds))
  const state = 'state' in session ? session.state : undefined
  const isNotable = state !== undefined && state !== 'completed'
  return html`<li><a href="${link(`/s/${id}`)}"><strong dir="auto">${title}</strong>
<span>${about.join(', ')}${when(isNotable, () => html` <b class="state ${state ?? ''}">${STATUS_WORDS[state ?? 'completed']}</b>`)}</span></a>
${when(labels && labels.tags.length + labels.folders.length > 0, () => labelLinks(link, labels?.tags ?? [], labels?.folders ?? []))}</li>`
}

function filterForm(
  { link }: Pick<Visit, 'link'>,
  sent: URLSearchParams,
  folders: readonly Folder[],
  people: readonly Person[]
): Html {
  const value = (name: string) => sent.get(name) ?? ''
  const chosenFolder = folders.find(
    ({ id, name }) => id === value('folder') || name.toLowerCase() === value('folder').toLowerCase()
  )?.id
  const chosenPerson = people.find(
    ({ id, is_me: isMe }) => id === value('person') || (isMe && value('person') === 'me')
  )?.id
  const isOpen = [...sent.keys()].some(name => name !== 'cursor')
  const types = SESSION_TYPES.map(one => ({ value: one, words: one }))
  const states = SESSION_STATES.map(one => ({ value: one, words: STATUS_WORDS[one] }))
  return html`<details class="filters"${when(isOpen, () => html` open`)}><summary>Filter</summary>
<form action="${link('/')}" class="grid">
${field('title', 'Title', value('title'), { hint: 'onboarding call' })}
${select('type', 'Type', 'every type', types, value('type'))}
${select('status', 'Status', 'all but the trash', states, value('status'))}
${select(
  'folder',
  'Folder',
  'every folder',
  folders.map(({ id, name }) => ({ value: id, words: name })),
  chosenFolder ?? ''
)}
${select(
  'person',
  'Person',
  'everyone',
  people.map(({ id, name }) => ({ value: id, words: name })),
  chosenPerson ?? ''
)}
${field('tag', 'Tags', value('tag'), { hint: 'sales,weekly' })}
${select('tag_mode', 'With several tags', 'one of them', [{ value: 'all', words: 'all of them' }], value('tag_mode'))}
${field('since', 'From', value('since').slice(0, 10), { type: 'date' })}
${field('until', 'Before', value('until').slice(0, 10), { type: 'date' })}
<div class="actions"><button>Show</button> ${when(isOpen, () => html`<a href="${link('/')}">Show all</a>`)}</div>
</form></details>`
}

function nothing({ link }: Pick<Visit, 'link'>, isFiltered: boolean, publicUrl: string): Html {
  if (!isFiltered) return firstSteps({ link }, publicUrl)
  return html`<div class="empty"><p>No session matches. <a href="${link('/')}">Show all</a></p></div>`
}
