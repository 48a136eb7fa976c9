import { type ActionItemList, ActionItemListQuery } from '../../../contract/action-item-list.ts'
import type { Person } from '../../../contract/person.ts'
import { listSessionLabels } from '../../../features/library/labels.ts'
import { listStrips } from '../../../features/library/strips.ts'
import { getCompany, listTalkSeconds } from '../../../features/people/figures.ts'
import { getPerson } from '../../../features/people/list-people.ts'
import { listActionItems } from '../../../features/sessions/action-item-operations.ts'
import { listSessions } from '../../../features/sessions/operations.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { localDay } from '../../../platform/text/calendar-day.ts'
import { type Html, html, when } from '../../web/html.ts'
import { barTable } from '../bar-table.ts'
import { onDay, talkTime } from '../dates.ts'
import { face } from '../faces.ts'
import { dueDay } from '../item-rows.ts'
import { inWords, percent } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId, pathParams } from '../path-params.ts'
import { personMenu } from '../person-rows.ts'
import { addressOf } from '../query-form.ts'
import { sessionGroups } from '../session-rows.ts'
import type { Visit } from '../visit.ts'

const Params = pathParams({ id: pathId('per') })
const SHOWN = { sessions: 6, items: 5 }

/** A person: how much they say, their last conversations, what they owe, and with whom they speak. */
export function personPage({ services, user }: Console) {
  user.page('/people/:id', { ...NONE, params: Params }, async (visit, { params: { id } }) => {
    const { visitor, log } = visit
    const { actor, timeZone } = visitor
    const person = await getPerson(services, actor, id)
    const itemQuery = readShape(ActionItemListQuery, { limit: String(SHOWN.items), person: id })
    const [talk, company, { sessions }, items] = await Promise.all([
      listTalkSeconds(services, actor, [id]),
      getCompany(services, actor, id),
      listSessions({ ...services, log }, actor, { person: id, limit: SHOWN.sessions, tag_mode: 'any' }),
      listActionItems(services, actor, itemQuery)
    ])
    const shown = sessions.flatMap(one => ('duration_seconds' in one ? [one] : []))
    const ids = shown.map(one => one.id)
    const [labels, strips] = await Promise.all([
      listSessionLabels(services, actor, ids),
      listStrips(services, actor, ids)
    ])
    const now = services.clock.now()
    const { name, recording_count: count, last_heard_at: at, is_me: isMe } = person
    const others = company.names.filter(one => one !== name)
    const seconds = talk.get(id) ?? 0
    return {
      title: name,
      part: 'people',
      main: html`<p class="crumbs"><a href="${visit.link('/people')}">People</a></p>
<div class="hero">${face(name, 'big')}<div><h1 dir="auto">${name}</h1>
<p class="quiet">${isMe ? 'This is you. ' : ''}${when(others.length > 0, () => html`Also ${others.map((one, place) => html`${place > 0 ? ', ' : ''}“<bdi>${one}</bdi>”`)}. `)}${at === null ? 'Never heard.' : `Last heard on ${onDay(new Date(at), timeZone)}.`}</p></div>
<div class="acts"><a class="button second" href="${visit.link(addressOf('/people', { merge: id }))}">Merge…</a>${personMenu(visit, person)}</div></div>
${figures(visit, person, seconds, company.share, items)}
<div class="two person"><section><h2>Conversations</h2>
${shown.length > 0 ? sessionGroups(visit, shown, { labels, strips }, { now, timeZone, isCut: { before: false, after: count > shown.length }, areSelected: false }) : html`<p class="quiet">None yet.</p>`}
${when(count > shown.length, () => html`<p class="more"><a href="${visit.link(addressOf('/', { person: id }))}">All ${inWords(count)}</a></p>`)}</section>
<div>${openItems(visit, items, localDay(now, timeZone))}
${when(company.others.length > 0, () => together(visit, company.others))}</div></div>`
    }
  })
}

function figures(
  { link }: Pick<Visit, 'link'>,
  { id, recording_count: count }: Person,
  seconds: number,
  share: number | null,
  { action_items: items, has_more: hasMore }: ActionItemList
): Html {
  const open = `${inWords(items.length)}${hasMore ? '+' : ''}`
  return html`<div class="key-figures"><a href="${link(addressOf('/', { person: id }))}"><strong>${inWords(count)}</strong>${count === 1 ? 'conversation' : 'conversations'}</a>
<div><strong>${seconds > 0 ? talkTime(seconds) : '0 s'}</strong>talk time</div>
<div><strong>${share === null ? '–' : percent(share)}</strong>of what is said, when there</div>
<a href="${link(addressOf('/action-items', { person: id }))}"><strong>${open}</strong>${items.length === 1 && !hasMore ? 'open item' : 'open items'}</a></div>`
}

function openItems({ link }: Pick<Visit, 'link'>, { action_items: items }: ActionItemList, today: string): Html {
  const rows = items.map(
    ({ text, due_date: due, session }) =>
      html`<li><a href="${link(`/s/${session.id}`)}" dir="auto">${text}</a>${when(due, () => dueDay(due ?? '', today, false))}</li>`
  )
  return html`<section><h2>Open items</h2>${rows.length > 0 ? html`<ul class="owed">${rows}</ul>` : html`<p class="quiet">None.</p>`}</section>`
}

function together({ link }: Pick<Visit, 'link'>, others: Awaited<ReturnType<typeof getCompany>>['others']): Html {
  const rows = others.map(({ id, name, share }) => ({ name, person: name, value: share, to: `/people/${id}` }))
  const heads = ['Person', 'Part of the conversations'] as const
  return html`<section class="figure">${barTable(link, { caption: 'Most often with', heads, rows, words: percent, largest: 1 })}</section>`
}
