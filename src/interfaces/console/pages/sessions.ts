import { z } from 'zod'
import { SESSION_STATES } from '../../../contract/admin/session.ts'
import { queryOneOf } from '../../../contract/common.ts'
import { FIELD_LIMITS } from '../../../contract/limits.ts'
import { sessionListQuery } from '../../../contract/session.ts'
import { listSessionLabels } from '../../../features/library/labels.ts'
import { listStrips } from '../../../features/library/strips.ts'
import type { LibraryCounts } from '../../../features/sessions/library-counts.ts'
import { listSessions, updateSession } from '../../../features/sessions/operations.ts'
import { type Html, html, when } from '../../web/html.ts'
import { bulkBar } from '../bulk-bar.ts'
import { moreLink } from '../cards.ts'
import { openFilterChoices } from '../filter-choices.ts'
import { firstSteps } from '../first-steps.ts'
import { inWords } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId } from '../path-params.ts'
import { addressOf, filledIn, queryOf, withoutEmpty } from '../query-form.ts'
import { filterChips } from '../session-filters.ts'
import { sessionGroups } from '../session-rows.ts'
import type { Visit } from '../visit.ts'
import { MANY_SESSIONS_PATH } from './many-sessions.ts'

/** The filters with the names and shapes of the API, so that a link is as good as a request, and the names that are searched for in a filter. */
const { limit, cursor, since, until, title, type, folder, person, favorite, tag, tag_mode } = sessionListQuery.shape
const status = queryOneOf([...SESSION_STATES, 'all']).optional()
const find = z.string().max(FIELD_LIMITS.personName).optional().catch(undefined)
const Filters = z.object({
  ...{ limit, cursor, since, until, title, type, status, folder, person, favorite, tag, tag_mode },
  select: z.enum(['1', 'all']).optional().catch(undefined),
  find_person: find,
  find_folder: find
})
const Query = z.preprocess(filledIn, Filters)

const id = pathId('ses')
/** A favourite is marked, or not any more, and the list returns to its row. */
const Stars = z.object({ star: id.optional(), unstar: id.optional(), back: z.string().max(4_000).default('') })

const PAGE = 50
/** The user's own sessions, newest first. Without a status, those in the trash are left out. */
export function sessionsPage({ services, user }: Console) {
  const filterChoices = openFilterChoices(services)

  user.page(
    '/',
    { ...NONE, query: Query },
    async (visit, { query: { find_person, find_folder, select, ...query } }) => {
      const short = withoutEmpty('/', visit.address)
      if (short) return short
      const { visitor, link, log, address } = visit
      const { actor, timeZone } = visitor
      const sent = queryOf(address)
      const isPicking = select !== undefined
      sent.delete('select')
      const request = {
        ...query,
        limit: sent.has('limit') ? query.limit : PAGE,
        status: query.status ?? ('all' as const)
      }
      const { person, folder } = query
      const [{ sessions, next_cursor: next }, choices] = await Promise.all([
        listSessions({ ...services, log }, actor, request),
        filterChoices(actor, { person, folder, find_person, find_folder })
      ])
      const { counts, folders } = choices
      const shown = sessions.flatMap(one => ('duration_seconds' in one ? [one] : []))
      const ids = shown.map(({ id }) => id)
      const [labels, strips] = await Promise.all([
        listSessionLabels(services, actor, ids),
        listStrips(services, actor, ids)
      ])
      const filters = [...sent].filter(([name]) => name !== 'cursor' && !name.startsWith('find_'))
      const isFiltered = filters.some(([name]) => name !== 'limit')
      const isCut = { before: sent.has('cursor'), after: typeof next === 'string' }
      const groups = sessionGroups(
        visit,
        shown,
        { labels, strips },
        {
          now: services.clock.now(),
          timeZone,
          isCut,
          areSelected: select === 'all'
        }
      )
      return {
        title: 'Sessions',
        part: 'sessions',
        main: html`<div class="top"><h1>Sessions</h1><span class="count">${countOf(shown.length, counts, { isFiltered, isCut: isCut.before || isCut.after })}</span>
${when(shown.length > 0, () => selectLinks(visit, sent, select))}</div>
${stateTabs(visit, counts, query.status, isFiltered)}
${filterChips(visit, '/', {
  ...choices,
  sent,
  tags: [...new Set([...labels.values()].flatMap(({ tags }) => tags))],
  timeZone
})}
${
  groups.length > 0
    ? html`${visit.form(
        MANY_SESSIONS_PATH,
        html`<input type="hidden" name="back" value="${addressOf('/', [...sent])}">${groups}${bulkBar(folders, query.status === 'deleted')}`,
        { class: isPicking ? 'picking' : '' }
      )}${visit.form('/favourites', html`<input type="hidden" name="back" value="${String(sent)}">`, { id: 'favourites' })}`
    : nothing(visit, sent.size > 0, services.publicUrl)
}
${moreLink(next, older => link(addressOf('/', [...filters, ['cursor', older]])), 'Older ones')}`
      }
    }
  )

  user.form('/favourites', { ...NONE, body: Stars }, async ({ visitor }, { body: { star, unstar, back } }) => {
    const session = star ?? unstar
    if (session !== undefined) await updateSession(services, visitor.actor, session, { favorite: star !== undefined })
    const list = addressOf('/', [...new URLSearchParams(back)])
    return { to: session === undefined ? list : `${list}#${session}` }
  })
}

/** The ways to select rows without a pointer over them: boxes for touch, and all of the page at once. */
function selectLinks({ link }: Pick<Visit, 'link'>, sent: URLSearchParams, select: '1' | 'all' | undefined): Html {
  const to = (value?: string) => link(addressOf('/', value === undefined ? [...sent] : [...sent, ['select', value]]))
  const pick = html`<a class="button ghost phone" href="${to(select ? undefined : '1')}">${select ? 'Done' : 'Select'}</a>`
  const all = select === 'all'
  return html`<div class="acts">${pick}<a class="button ghost" href="${to(all ? undefined : 'all')}">${all ? 'Select none' : 'Select all'}</a></div>`
}

/** The number of sessions of the list, as far as it is known. */
function countOf(
  shown: number,
  { completed, processing, failed }: LibraryCounts,
  { isFiltered, isCut }: { isFiltered: boolean; isCut: boolean }
) {
  if (!isFiltered) return inWords(completed + processing + failed)
  return isCut ? '' : inWords(shown)
}

/** The states as tabs, which keep the other filters. */
function stateTabs(
  { link, address }: Visit,
  counts: LibraryCounts,
  status: string | undefined,
  isFiltered: boolean
): Html {
  const { completed, processing, failed, deleted } = counts
  const kept = [...queryOf(address)].filter(
    ([name]) => !['cursor', 'status'].includes(name) && !name.startsWith('find_')
  )
  const tabs = [
    { name: 'All', value: undefined, count: completed + processing + failed },
    { name: 'Processing', value: 'processing', count: processing },
    { name: 'Failed', value: 'failed', count: failed },
    { name: 'Trash', value: 'deleted', count: deleted }
  ]
  const isCounted = !isFiltered || kept.length === 0
  const current = status === 'all' ? undefined : status
  const links = tabs.map(({ name, value, count }) => {
    const query = value === undefined ? kept : kept.concat([['status', value]])
    return html`<a href="${link(addressOf('/', query))}"${when(value === current, () => html` aria-current="page"`)}>${name}${when(isCounted, () => html` <span class="quiet">${inWords(count)}</span>`)}</a>`
  })
  return html`<nav class="tabs" aria-label="State">${links}</nav>`
}

function nothing({ link }: Pick<Visit, 'link'>, isFiltered: boolean, publicUrl: string): Html {
  if (!isFiltered) return firstSteps({ link }, publicUrl)
  return html`<div class="empty"><p>No session matches. <a href="${link('/')}">Show all</a></p></div>`
}
