import type { SharedSessionDetail } from '../../../contract/sharing.ts'
import {
  getSharedMedia,
  getSharedSession,
  showSharedTranscript
} from '../../../features/sharing/recipient-operations.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import type { ShownTranscript } from '../../../platform/ports/transcript-writer.ts'
import { localDay } from '../../../platform/text/calendar-day.ts'
import { unpackText } from '../../../platform/work/packed-text.ts'
import { type Html, html, when } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import { atTime, lengthOf } from '../dates.ts'
import { face } from '../faces.ts'
import { dueDay } from '../item-rows.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId, pathParams } from '../path-params.ts'
import { showRecording } from '../recording.ts'
import { typeWords } from '../session-types.ts'

const Ids = pathParams({ owner_id: pathId('usr'), id: pathId('ses') })

/** A session of somebody else: the parts that its owner shares with the visitor, and the one page of `session_url`. */
export function sharedSessionPage({ services, reader, summaryMarkup }: Console) {
  reader.page('/shared/:owner_id/:id', { ...NONE, params: Ids }, async (visit, { params }) => {
    const { actor, timeZone } = visit.visitor
    const { owner_id: ownerId, id } = params
    // Owners open the address that they gave to others.
    if (ownerId === actor.userId) return { to: `/s/${id}` }
    const session = await getSharedSession(services, actor, ownerId, id)
    const { title, owner, scope, timestamp, duration_seconds: seconds, summary, action_items: items = [] } = session
    const media = scope.audio ? await getSharedMedia(services, actor, ownerId, id).catch(orNothing) : undefined
    const recording = media && (await showRecording(services, visit, media))
    const shown = await summaryMarkup(summary ?? '', actor)
    // It comes last, because it is held until the page is read.
    const transcript = scope.transcript
      ? await showSharedTranscript(services, actor, ownerId, id).catch(orNothing)
      : undefined
    const kind = typeWords(session.type)
    const name = owner.name ?? 'Somebody'
    const today = localDay(services.clock.now(), timeZone)
    return {
      title,
      part: 'shared',
      mediaOrigin: recording?.mediaOrigin,
      main: html`<p class="crumbs">${face(name)}<span><bdi>${name}</bdi> shares this with you</span></p>
<div class="headline"><h1 dir="auto">${title}</h1></div>
<div class="about-it"><span>${icon(kind.icon)}${kind.words}</span>${when(timestamp, () => html` <span>${atTime(new Date(timestamp ?? 0), timeZone)}</span>`)}${when(seconds > 0, () => html` <span>${lengthOf(seconds)}</span>`)}</div>
${when(session.in_process, () => html`<p class="empty">The conversation is being processed. Load the page again in a minute.</p>`)}
${recording && html`<div class="recording">${recording.player}</div>`}
${when(
  Object.values(scope).every(part => !part),
  () => html`<p class="empty">Its owner shares none of its parts now.</p>`
)}
<div class="session"><div class="came">
${when(summary, () => html`<section><h2>Summary</h2><div class="prose" dir="auto">${shown}</div></section>`)}
${when(items.length > 0, () => actionItems(items, today))}</div>
<section class="talk">`,
      rest: talk(transcript),
      ...(transcript && { held: transcript })
    }
  })
}

/** A part that went away between two reads is left out. */
function orNothing(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error
}

function actionItems(items: NonNullable<SharedSessionDetail['action_items']>, today: string): Html {
  const rows = items.map(
    ({ text, completed, assignee, due_date: due }) =>
      html`<li${when(completed, () => html` class="done"`)}><span dir="auto">${text}${when(
        assignee,
        () => html` <span class="quiet"><bdi>${assignee}</bdi></span>`
      )}${when(due, () => html` ${dueDay(due ?? '', today, completed)}`)}${when(completed, () => html` <span class="quiet">(done)</span>`)}</span></li>`
  )
  return html`<section><h2>Action items</h2><ul class="items">${rows}</ul></section>`
}

/** The lines as a page of an own session has them. */
async function* talk(transcript: ShownTranscript | undefined) {
  if (transcript?.hasLines) {
    yield html`<h2>Transcript</h2>`
    yield* unpackText(transcript.lines)
  }
  yield html`</section></div>`
}
