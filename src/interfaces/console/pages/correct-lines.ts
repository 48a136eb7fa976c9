import { z } from 'zod'
import { FIELD_LIMITS, LIMITS } from '../../../contract/limits.ts'
import { oneLine } from '../../../contract/text.ts'
import { TranscriptChange } from '../../../contract/transcript-change.ts'
import { correctTranscript } from '../../../features/corrections/correct-transcript.ts'
import { quoteTranscript } from '../../../features/transcripts/operations.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import type { Actor } from '../../../platform/ports/actor.ts'
import type { QuotedLine } from '../../../platform/ports/transcript-writer.ts'
import { clockTime } from '../../../platform/text/clock-text.ts'
import { type Html, html, when } from '../../web/html.ts'
import { conflictView } from '../conflict.ts'
import { noticeAbove } from '../notice.ts'
import { type Console, NONE } from '../open-console.ts'
import { addressOf } from '../query-form.ts'
import { momentAt, SessionParams } from '../session-address.ts'
import type { View, Visit } from '../visit.ts'

/** The lines of a page, and the characters after which it ends sooner. A longer line has no field: browsers slow down in one. */
const LINES = 25
const CHARACTERS = 20_000
/** The lines of a page with each character escaped as in a form. */
const FORM_BYTES = 12 * 2 * CHARACTERS + LIMITS.bodyBytes

const Query = z.object({
  line: z.coerce.number().int().min(0).max(FIELD_LIMITS.entries).optional().catch(undefined),
  saved: z.literal('true').optional().catch(undefined)
})

/** A field can have line breaks, and a line of a transcript has none. */
const Lines = z.object({
  version: z.coerce.number().int().min(0),
  line: z.array(z.coerce.number().int().min(0)).min(1).max(LINES),
  said: z.array(z.string().transform(oneLine)).max(LINES)
})

interface Page {
  version: number
  /** The lines of the whole transcript. */
  count: number
  lines: QuotedLine[]
}

/** A page of the lines of a transcript, each in a field. It needs no script, and comes back with what was written if the transcript has changed. */
export function correctLinesPage({ services, user }: Console) {
  const path = '/s/:id/correct'

  user.page(path, { ...NONE, params: SessionParams, query: Query }, async (visit, { params: { id }, query }) => {
    const { line, saved } = query
    const page = await readPage(visit.visitor.actor, id, line ?? 0)
    const isChosen = line !== undefined && saved === undefined
    const notice = noticeAbove(saved && { words: 'Saved.' })
    return { title: 'Correct the transcript', part: 'sessions', main: pageOf(visit, id, { ...page, isChosen, notice }) }
  })

  user.form(
    path,
    { ...NONE, params: SessionParams, body: Lines },
    async (visit, { params: { id }, body }) => {
      const { actor } = visit.visitor
      const { version, line: indexes, said } = body
      const segments = indexes.map((index, at) => ({ index, text: said[at] || null }))
      const change = readShape(TranscriptChange, { segments }, 'body')
      try {
        await correctTranscript(services, actor, id, change, { precondition: { versions: [version], tags: [] } })
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'conflict') throw error
        return changedMeanwhile(visit, id, { indexes, said }, await readPage(actor, id, indexes[0] ?? 0))
      }
      return { to: addressOf(`/s/${id}/correct`, { line: String(indexes[0] ?? 0), saved: 'true' }) }
    },
    { bodyLimit: FORM_BYTES }
  )

  async function readPage(actor: Actor, id: string, first: number): Promise<Page> {
    const part = { indexed: true, first, characters: CHARACTERS }
    const { version, count, lines } = await quoteTranscript(services, actor, id, part)
    return { version, count, lines: lines.slice(0, LINES) }
  }
}

interface Shown extends Page {
  /** True if the first line is the one that somebody wants to correct. */
  isChosen: boolean
  notice: Html | ''
}

function pageOf({ form, link }: Pick<Visit, 'form' | 'link'>, id: string, page: Shown): Html {
  const { count, lines, isChosen, notice } = page
  const [first = 0, last = 0] = [lines[0]?.index, lines.at(-1)?.index]
  const turn = (line: number, words: string) =>
    html`<a href="${link(addressOf(`/s/${id}/correct`, { line: String(line) }))}">${words}</a>`
  const start = first > 0 ? lines[0]?.start : undefined
  return html`<p class="crumbs"><a href="${link(momentAt(id, start))}">Back to the conversation</a></p>
<h1>Correct the transcript</h1>${notice}
<p class="hint">Search, the summary’s times and shared copies follow. The words before are kept. Empty a line to remove it.</p>
${
  lines.length === 0
    ? html`<p class="quiet">There are no lines here.</p>`
    : html`<p class="quiet">Lines ${first + 1} to ${last + 1} of ${count}</p>
${form(`/s/${id}/correct`, html`${fieldsOf(page, { isChosen })}<button>Save</button>`)}`
}
<nav class="pages" aria-label="Lines">${when(first > 0, () => turn(Math.max(0, first - LINES), 'Earlier lines'))} ${when(last + 1 < count, () => turn(last + 1, 'Later lines'))}</nav>`
}

/** The fields of the lines; `written` are those that somebody has changed already, by their place. */
function fieldsOf(
  { version, lines }: Pick<Page, 'version' | 'lines'>,
  { isChosen = false, written = new Map<number, string>() }
): Html {
  return html`<input type="hidden" name="version" value="${version}">${lines.map(
    ({ index = 0, speaker, start, text }, at) =>
      text.length > CHARACTERS
        ? html`<p class="quiet"><bdi>${speaker}</bdi>: A line of ${text.length} characters, which the API can correct.</p>`
        : html`<input type="hidden" name="line" value="${index}"><label><bdi>${speaker}</bdi>${when(
            start !== undefined,
            () => html` ${clockTime(start ?? 0)}`
          )}<textarea name="said" rows="2" dir="auto" maxlength="${FIELD_LIMITS.segmentText}"${when(isChosen && at === 0, () => html` autofocus`)}>${written.get(index) ?? text}</textarea></label>`
  )}`
}

/** Shows the lines as they were written and as they are now. Where lines were removed meanwhile, the same place can have other words. */
function changedMeanwhile(
  { form, link }: Pick<Visit, 'form' | 'link'>,
  id: string,
  { indexes, said }: { indexes: readonly number[]; said: readonly string[] },
  page: Page
): View {
  const written = new Map(indexes.map((index, at) => [index, said[at] ?? '']))
  const { lines } = page
  const mine = form(`/s/${id}/correct`, html`${fieldsOf(page, { written })}<button>Save mine</button>`)
  const theirs = html`<ul>${lines.map(({ speaker, text }) => html`<li dir="auto"><bdi>${speaker}</bdi>: ${text}</li>`)}</ul>`
  return conflictView({ mine, theirs, keep: link(addressOf(`/s/${id}/correct`, { line: String(indexes[0] ?? 0) })) })
}
