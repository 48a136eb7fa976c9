import { z } from 'zod'
import type { AdminSession } from '../../../contract/admin/session.ts'
import { FIELD_LIMITS, LIMITS } from '../../../contract/limits.ts'
import { getRetention } from '../../../features/accounts/retention.ts'
import { listFolders } from '../../../features/folders/operations.ts'
import { listStrips } from '../../../features/library/strips.ts'
import { listPeople } from '../../../features/people/list-people.ts'
import { getMedia } from '../../../features/recordings/operations.ts'
import { getSession } from '../../../features/sessions/operations.ts'
import { getSessionSharing, getShareScope } from '../../../features/sharing/operations.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { quoteTranscript, showTranscript } from '../../../features/transcripts/operations.ts'
import { throwNotFound } from '../../../platform/core/api-error.ts'
import { localDay } from '../../../platform/text/calendar-day.ts'
import { unpackText } from '../../../platform/work/packed-text.ts'
import { type Html, html, when } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import { type Console, NONE } from '../open-console.ts'
import { addressOf } from '../query-form.ts'
import { retentionPanel } from '../retention-words.ts'
import { PANELS, SessionParams } from '../session-address.ts'
import { heading, jumps } from '../session-heading.ts'
import { aboutPanel, actionItems, notesForm, speakersPanel } from '../session-panels.ts'
import { recordingLinks, sessionPlayer } from '../session-recording.ts'
import { sharingPanel } from '../sharing-panel.ts'
import { sourcedSummary } from '../sourced-summary.ts'
import { speakerOfLine } from '../speaker-of-line.ts'
import { summarySection } from '../summary-section.ts'
import { chapterMenu, voicesSection } from '../talk-parts.ts'
import type { View, Visit } from '../visit.ts'

const Query = z.object({
  open: z.enum(PANELS).optional().catch(undefined),
  speaker: z.string().max(FIELD_LIMITS.personName).optional().catch(undefined),
  /** The place of a line whose speaker is to be corrected. */
  who: z.coerce.number().int().min(0).max(FIELD_LIMITS.entries).optional().catch(undefined)
})

/** A session of the user: what was said, what came of it, and everything that can be done with it. */
export function sessionPage({ services, user, summaryMarkup }: Console) {
  user.page('/s/:id', { ...NONE, params: SessionParams, query: Query }, async (visit, { params, query }) => {
    const { open, speaker = '', who } = query
    const { actor } = visit.visitor
    const { id } = params
    const session = await getSession(services, actor, id)
    if (!('state' in session)) throwNotFound('Session')
    if (session.state === 'deleted') return trashed(visit, session)
    if (who !== undefined) return await askWho(visit, id, who)
    const [media, { folders }, { people }, strips, sharing, { scope }, retention] = await Promise.all([
      getMedia(services, actor, id),
      listFolders(services, actor, { limit: LIMITS.foldersPage.max }),
      listPeople(services, actor, { limit: LIMITS.peoplePage.max }),
      listStrips(services, actor, [id]),
      getSessionSharing(services, actor, id),
      getShareScope(services, actor, id),
      getRetention(services, actor)
    ])
    const inside = folders.filter(folder => session.folder_ids?.includes(folder.id))
    const summary = await sourcedSummary(services, visit, id, session.summary, summaryMarkup)
    const { chapters } = summary
    // It comes last, because it is held until the page is read.
    const correctAt = session.state === 'processing' ? undefined : visit.link(`/s/${id}/correct?line=`)
    const transcript = await showTranscript(services, actor, id, { speaker, chapters, correctAt })
    const { hasLines, speakers, voices } = transcript
    const talked = { strip: strips.get(id), voices, chapters, seconds: session.duration_seconds }
    const { player, mediaOrigin } = await sessionPlayer(services, visit, media, talked)
    const recordings = recordingLinks(services, visit, media)
    return {
      title: session.title,
      part: 'sessions',
      scripts: [
        'session.js',
        ...(session.action_items?.length ? ['tick.js'] : []),
        ...(hasLines ? ['find.js', 'correct.js'] : [])
      ],
      mediaOrigin,
      main: html`${heading(visit, session, { inside, people, speakers, transcript, recordings })}
${stateOf(visit, session)}
${player}
<div class="session"><aside class="came" aria-label="What came of it">
${jumps(session, speakers.count)}
${summarySection(visit, session, summary.markup, open === 'summary')}
${actionItems(visit, session, localDay(services.clock.now(), visit.visitor.timeZone))}
${notesForm(visit, session)}
${voicesSection(visit, voices, people)}
<section id="more"><h2>About this session</h2>
${aboutPanel(visit, session, folders, open === 'about')}
${when(hasLines, () => speakersPanel(visit, id, { ...transcript, speaker, people }, open === 'speakers'))}
${sharingPanel(visit, id, sharing, scope, open === 'sharing')}
${retentionPanel(visit, session, inside, retention)}
</section>
</aside>
<section class="talk" aria-labelledby="transcript">`,
      rest: talk(),
      held: transcript
    }

    async function* talk() {
      yield html`<h2 id="transcript" class="hidden">Transcript</h2>`
      yield hasLines
        ? html`<div class="find-in">${FIND_BOX}${chapterMenu(chapters)}</div>`
        : html`<p class="quiet">There is no transcript.</p>`
      yield* unpackText(transcript.lines)
      yield html`</section></div>`
    }
  })

  async function askWho(visit: Visit<Visitor>, id: string, index: number): Promise<View> {
    const { actor } = visit.visitor
    const [{ lines }, { people }] = await Promise.all([
      quoteTranscript(services, actor, id, { indexed: true, first: index, characters: 0 }),
      listPeople(services, actor, { limit: LIMITS.peoplePage.max })
    ])
    return speakerOfLine(visit, id, lines[0] ?? throwNotFound('Line'), people)
  }
}

/** Finds words in all lines. The script shows it; without one, the browser finds them. */
const FIND_BOX = html`<form class="find-lines" role="search" aria-label="In the transcript" hidden>
<span class="seek"><input type="search" aria-label="Find in the transcript" placeholder="Find in the transcript" autocomplete="off" enterkeyhint="search">${icon('search')}<kbd aria-hidden="true">f</kbd></span>
<output aria-live="polite"></output>
<button value="previous" class="second" aria-label="Previous place">↑</button><button value="next" class="second" aria-label="Next place">↓</button></form>`

/** Says what became of a session that is not complete. The script waits until it is. */
function stateOf(
  { form, link }: Visit,
  { id, state, failure_reason: reason, progress, waiting_reason: waiting }: AdminSession
): Html | '' {
  if (state === 'processing')
    return html`<div class="notice" role="status" data-state="processing" data-session="${id}" data-progress="${link(addressOf('/progress', { session: id }))}"><p>The conversation is being processed.
<span class="still">Load the page again in a minute.</span></p><p class="waits" dir="auto">${waiting ?? ''}</p>
${progress === undefined ? html`<progress aria-label="Processing"></progress>` : html`<progress aria-label="Processing" value="${String(progress)}"></progress>`}</div>`
  if (state !== 'failed') return ''
  return html`<div class="notice bad"><p>Processing failed: <span dir="auto">${reason ?? 'the reason is unknown'}</span></p>
${form(`/s/${id}/retry`, html`<button>Retry</button>`)}</div>`
}

function trashed(visit: Visit, session: AdminSession): View {
  const { form, link } = visit
  const { id, title } = session
  return {
    title,
    part: 'sessions',
    main: html`${heading(visit, session)}
<div class="notice"><p>This session is in the trash. Nobody else sees it, and lists and search leave it out.</p>
<div class="actions">${form(`/s/${id}/restore`, html`<button>Restore</button>`)}
<a class="danger" href="${link(`/s/${id}/delete`)}">Delete permanently</a></div></div>`
  }
}
