import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { SearchRequest, type SearchResponse, type SearchResult } from '../../../contract/search.ts'
import { searchSessions } from '../../../features/search/operations.ts'
import { clockTime } from '../../../platform/text/clock-text.ts'
import { type Html, html, when } from '../../web/html.ts'
import { atTime, onDay } from '../dates.ts'
import { openMarks } from '../marks.ts'
import { type Console, NONE } from '../open-console.ts'
import { filledIn, withoutEmpty } from '../query-form.ts'
import type { Visit } from '../visit.ts'

const { type, since, until, folder, person } = SearchRequest.shape
const Query = z.preprocess(
  filledIn,
  z.object({ q: z.string().max(LIMITS.query).optional(), type, since, until, folder, person })
)

/** The best sessions for a query, with the passages that answer it. Each leads to its moment. */
export function searchPage({ services, user }: Console) {
  user.page('/search', { ...NONE, query: Query }, async (visit, { query: { q, ...filters } }) => {
    const short = withoutEmpty('/search', visit.address)
    if (short) return short
    const { visitor } = visit
    if (q === undefined) return view(visit, '', html``)
    const request = SearchRequest.parse({ query: q, include_passages: true, ...filters })
    const { response } = await searchSessions(services, visitor.actor, request)
    const mark = openMarks(q)
    const results = response.results.map(result => resultOf(visit, result, mark, visitor.timeZone))
    return view(
      visit,
      q,
      html`${interpretation(response, visitor.timeZone)}
${(response.warnings ?? []).map(warning => html`<p class="note">${warning}</p>`)}
${
  results.length > 0
    ? html`<ol class="found">${results}</ol>`
    : html`<div class="empty"><p>Nothing was found. Try fewer or other words.</p></div>`
}`
    )
  })
}

export function searchBox({ link }: Pick<Visit, 'link'>, q: string): Html {
  return html`<form class="search" role="search" action="${link('/search')}">
<label class="hidden" for="q">Search what was said</label>
<input id="q" type="search" name="q" value="${q}" maxlength="${LIMITS.query}" placeholder="Search what was said" required><button>Search</button></form>`
}

function view(visit: Visit, q: string, found: Html) {
  return {
    title: q === '' ? 'Search' : `${q.slice(0, 80).toWellFormed()} · Search`,
    part: 'sessions' as const,
    main: html`<h1>Search</h1>
${searchBox(visit, q)}
${found}`
  }
}

/** Names the person and the period that the query was taken to mean. */
function interpretation({ interpreted }: SearchResponse, timeZone: string): Html | '' {
  if (!interpreted) return ''
  const { person: named, since: from, until: to } = interpreted
  const day = (at: string) => onDay(new Date(at), timeZone)
  return html`<p class="about">Preferred: ${when(named, () => html`sessions with <bdi>${named?.name}</bdi>`)}${when(
    named && (from || to),
    () => html`, `
  )}${when(from, () => html` from ${day(from ?? '')}`)}${when(to, () => html` before ${day(to ?? '')}`)}</p>`
}

function resultOf({ link }: Visit, result: SearchResult, mark: ReturnType<typeof openMarks>, timeZone: string): Html {
  const { id, title, timestamp, type: kind, snippet, passages = [] } = result
  const about = [timestamp ? atTime(new Date(timestamp), timeZone) : 'without a date', kind].join(', ')
  const quotes = passages.map(
    ({
      start,
      speaker,
      text
    }) => html`<li><a href="${link(`/s/${id}${start === null ? '' : `#t=${Math.floor(start)}`}`)}">
<span class="moment">${when(start !== null, () => html`<time>${clockTime(start ?? 0)}</time> `)}<bdi>${speaker}</bdi></span>
<span class="quote" dir="auto">${mark(text, 'excerpt')}</span></a></li>`
  )
  return html`<li><h2 dir="auto"><a href="${link(`/s/${id}`)}">${mark(title)}</a></h2>
<p class="about">${about}</p>
${quotes.length > 0 ? html`<ul class="quotes">${quotes}</ul>` : html`<p dir="auto">${mark(snippet)}</p>`}</li>`
}
