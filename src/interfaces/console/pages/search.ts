import { z } from 'zod'
import { FIELD_LIMITS, LIMITS } from '../../../contract/limits.ts'
import { SearchRequest, type SearchResponse, type SearchResult } from '../../../contract/search.ts'
import { listStrips } from '../../../features/library/strips.ts'
import { searchSessions } from '../../../features/search/operations.ts'
import type { Strip } from '../../../platform/ports/strip.ts'
import { clockTime } from '../../../platform/text/clock-text.ts'
import { type Html, html, when } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import { atTime, onDay } from '../dates.ts'
import { face } from '../faces.ts'
import { openFilterChoices } from '../filter-choices.ts'
import { type Marks, openMarks } from '../marks.ts'
import { counted } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import { filledIn, queryOf, withoutEmpty } from '../query-form.ts'
import { momentAt } from '../session-address.ts'
import { filterChips } from '../session-filters.ts'
import { typeWords } from '../session-types.ts'
import { stripBars } from '../strip.ts'
import type { Visit } from '../visit.ts'

const { type, since, until, folder, person } = SearchRequest.shape
const find = z.string().max(FIELD_LIMITS.personName).optional().catch(undefined)
const Query = z.preprocess(
  filledIn,
  z.object({
    q: z.string().max(LIMITS.query).optional(),
    ...{ type, since, until, folder, person },
    find_person: find,
    find_folder: find
  })
)

/**
 * A result without a word of the query is left out below this similarity. Among the samples, of 129 such results that were wrong, 8 remain: words that do
 * not exist find nothing 12 times in 15, other subjects 10 times in 10. Of 27 right answers to paraphrases, 24 remain. Cosines of other models than the
 * bundled one are mostly higher, so they leave out less.
 */
const MIN_SIMILARITY = 0.25

/** The best sessions for a query, with the passages that answer it. Each leads to its moment. */
export function searchPage({ services, user }: Console) {
  const filterChoices = openFilterChoices(services)

  user.page('/search', { ...NONE, query: Query }, async (visit, { query }) => {
    const { q, find_person, find_folder, ...filters } = query
    const short = withoutEmpty('/search', visit.address)
    if (short) return short
    const { visitor, address } = visit
    if (q === undefined) return view(visit, '', html``)
    const request = SearchRequest.parse({ query: q, include_passages: true, ...filters })
    const [{ response, byMeaning }, choices] = await Promise.all([
      searchSessions(services, visitor.actor, request),
      filterChoices(visitor.actor, { ...filters, find_person, find_folder })
    ])
    const { warnings = [] } = response
    const marks = openMarks(q)
    const found = response.results.filter(({ id }) => !byMeaning.has(id))
    const close = response.results.filter(({ id, similarity = 1 }) => byMeaning.has(id) && similarity >= MIN_SIMILARITY)
    const results = [...found, ...close]
    const strips = await listStrips(
      services,
      visitor.actor,
      results.map(({ id }) => id)
    )
    const listOf = (some: readonly SearchResult[]) =>
      when(
        some.length > 0,
        () =>
          html`<ol class="found">${some.map(result => resultOf(visit, result, strips.get(result.id), marks, visitor.timeZone))}</ol>`
      )
    return view(
      visit,
      q,
      html`${filterChips(visit, '/search', { ...choices, sent: queryOf(address), tags: undefined, timeZone: visitor.timeZone })}
${summaryOf({ ...response, results }, visitor.timeZone)}
${warnings.map(warning => html`<p class="note">${warning}</p>`)}
${listOf(found)}
${when(
  close.length > 0,
  () =>
    html`<p class="note">${found.length > 0 ? 'These have none of the words, and are the closest in meaning:' : 'No conversation has these words. These are the closest in meaning:'}</p>${listOf(close)}`
)}
${when(results.length === 0, () => html`<div class="empty"><p>Nothing was found. Try fewer or other words.</p></div>`)}`
    )
  })
}

function view({ link }: Pick<Visit, 'link'>, q: string, found: Html) {
  return {
    title: q === '' ? 'Search' : `${q.slice(0, 80).toWellFormed()} · Search`,
    part: 'search' as const,
    main: html`<h1 class="hidden">Search</h1>
<form class="search" role="search" action="${link('/search')}">
<label class="hidden" for="q">Search what was said</label>
<span class="seek"><input id="q" type="search" name="q" value="${q}" maxlength="${LIMITS.query}" placeholder="Search what was said" dir="auto" required>${icon('search')}</span><button>Search</button></form>
${found}`
  }
}

/** Counts what was found, and names the person and the period that the query was taken to mean. */
function summaryOf({ results, interpreted }: SearchResponse, timeZone: string): Html | '' {
  if (results.length === 0) return ''
  const moments = results.reduce((sum, { passages = [] }) => sum + passages.length, 0)
  const day = (at: string) => onDay(new Date(at), timeZone)
  const { person: named, since: from, until: to } = interpreted ?? {}
  const preferred = html` Preferred: ${when(named, () => html`sessions with <bdi>${named?.name}</bdi>`)}${when(
    named && (from || to),
    () => html`, `
  )}${when(from, () => html` from ${day(from ?? '')}`)}${when(to, () => html` before ${day(to ?? '')}`)}`
  return html`<p class="about">${when(moments > 0, () => html`${counted(moments, 'moment')} in `)}${counted(results.length, 'conversation')}.${when(interpreted, () => preferred)}</p>`
}

function resultOf(
  { link }: Visit,
  result: SearchResult,
  strip: Strip | undefined,
  marks: Marks,
  timeZone: string
): Html {
  const { id, title, timestamp, type: kind, snippet, passages = [] } = result
  const about = [timestamp ? atTime(new Date(timestamp), timeZone) : 'without a date', typeWords(kind).words].join(', ')
  const quotes = passages.map(passage => momentOf(link, id, passage, marks))
  return html`<li><div class="hit"><div><h2 dir="auto"><a href="${link(`/s/${id}`)}">${marks.mark(title)}</a></h2>
<p class="about">${about}</p></div>${when(strip, () => (strip ? stripBars(strip) : html``))}</div>
${quotes.length > 0 ? html`<ul class="quotes">${quotes}</ul>` : html`<p class="quote" dir="auto">${marks.mark(snippet)}</p>`}</li>`
}

type Passage = NonNullable<SearchResult['passages']>[number]

/** A moment as it is quoted: the line of its speaker that has a word of the query, else the passage, whose lines name their speakers. */
function momentOf(link: Visit['link'], id: string, { start, speaker, text }: Passage, { mark, finds }: Marks): Html {
  const prefix = `${speaker}: `
  const line = text.split('\n').find(one => one.startsWith(prefix) && finds(one.slice(prefix.length)))
  const quote = line
    ? html`<b><bdi>${speaker}</bdi></b> ${mark(line.slice(prefix.length), 'excerpt')}`
    : mark(text, 'excerpt')
  return html`<li><a class="moment" href="${link(momentAt(id, start))}"><time>${start === null ? '' : clockTime(start)}</time>${face(speaker)}<span class="quote" dir="auto">${quote}</span></a></li>`
}
