import type { SessionSummary, SummarySource, SummaryStatement } from '../../contract/session-summary.ts'
import type { Services } from '../../features/services.ts'
import type { Visitor } from '../../features/sign-in/sign-in.ts'
import { getSummary } from '../../features/summaries/operations.ts'
import { wordingOf } from '../../platform/ai/summarizer/wording.ts'
import type { Chapter } from '../../platform/ports/transcript-writer.ts'
import { clockTime } from '../../platform/text/clock-text.ts'
import { isName } from '../../platform/text/speaker-name.ts'
import { type Html, html, when } from '../web/html.ts'
import type { SummaryMarkup } from './summary-markup.ts'
import type { Visit } from './visit.ts'

/** The most times that stand behind a statement. */
const MAX_TIMES = 3

interface ShownSummary {
  markup: Html
  /** The parts of the conversation, in the order of their times. Empty if the server does not know them. */
  chapters: Chapter[]
}

/** A summary as its Markdown, or, where the server knows the lines that it comes from, with the times at which they were said. */
export async function sourcedSummary(
  services: Pick<Services, 'db'>,
  { visitor: { actor } }: Visit<Visitor>,
  id: string,
  text: string | null | undefined,
  summaryMarkup: SummaryMarkup
): Promise<ShownSummary> {
  const summary = text ? await getSummary(services, actor, id) : undefined
  if (!summary?.has_sources) return { markup: await summaryMarkup(text ?? '', actor), chapters: [] }
  return { markup: withTimes(summary), chapters: chaptersOf(summary) }
}

/** The sections about a part of the conversation. One that lists people or the other sections is about all of it. */
function chaptersOf({ sections }: SessionSummary): Chapter[] {
  const headings = new Set(sections.map(({ heading }) => heading))
  const chapters = sections.flatMap(({ heading, start, points }) => {
    const isList = points.every(({ text, speaker }) => speaker === null && (headings.has(text) || isName(text)))
    return heading === null || start === undefined || isList ? [] : [{ heading, start }]
  })
  return chapters.sort((one, other) => one.start - other.start)
}

function withTimes({ language, overview, sections, decisions, questions }: SessionSummary): Html {
  const words = wordingOf(language ?? 'en')
  return html`${when(overview, () => html`<p>${overview?.text} ${times(overview?.sources ?? [])}${doubt(overview ?? {})}</p>`)}
${sections.map(
  ({ heading, start, points }) =>
    html`${when(heading, () => html`<h3>${heading} ${start === undefined ? '' : time(start)}</h3>`)}${list(points)}`
)}
${when(decisions.length > 0, () => html`<h3>${words.decisions}</h3>${list(decisions)}`)}
${when(questions.length > 0, () => html`<h3>${words.openQuestions}</h3>${list(questions)}`)}`
}

function list(points: readonly SummaryStatement[]): Html {
  return html`<ul>${points.map(
    ({ text, speaker, sources, unsupported }) =>
      html`<li dir="auto">${when(speaker, () => html`<bdi>${speaker}</bdi>: `)}${text} ${times(sources)}${doubt({ unsupported })}</li>`
  )}</ul>`
}

/** Says of what a model wrote that the transcript has no evidence for it. */
function doubt({ unsupported }: Pick<SummaryStatement, 'unsupported'>): Html | '' {
  return when(unsupported, () => html`<span class="quiet">(not found in the transcript)</span>`)
}

function times(sources: readonly SummarySource[]): Html[] {
  const starts = [...new Set(sources.flatMap(({ start }) => (start === undefined ? [] : [Math.floor(start)])))]
  return starts.slice(0, MAX_TIMES).map(start => html`${time(start)} `)
}

/** A link to the moment, which the page plays. */
function time(start: number): Html {
  return html`<a class="src" href="#t=${Math.floor(start)}" aria-label="Said at ${clockTime(start)}">${clockTime(start)}</a>`
}
