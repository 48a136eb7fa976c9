import type { AdminSession } from '../../contract/admin/session.ts'
import type { Folder } from '../../contract/folder.ts'
import type { Person } from '../../contract/person.ts'
import type { FirstNames, PageLines } from '../../platform/ports/transcript-writer.ts'
import { type Html, html, when } from '../web/html.ts'
import { icon } from '../web/icons.ts'
import { atTime, lengthOf } from './dates.ts'
import { face } from './faces.ts'
import { addressOf } from './query-form.ts'
import { labelsOf } from './session-labels.ts'
import type { RecordingLink } from './session-recording.ts'
import { typeWords } from './session-types.ts'
import type { Visit } from './visit.ts'

interface Around {
  inside: readonly Folder[]
  people: readonly Person[]
  speakers: FirstNames
  transcript: Pick<PageLines, 'hasTimes'>
  recordings: readonly RecordingLink[]
}

/** The title of a session, what is known about it, and what can be done with it. A session in the trash has the first two only. */
export function heading(visit: Visit, session: AdminSession, around?: Around): Html {
  const { visitor, link } = visit
  const { title, timestamp, duration_seconds: seconds, type, platform, tags = [] } = session
  const kind = typeWords(type)
  const [folder] = around?.inside ?? []
  return html`<p class="crumbs"><span class="phone">${icon('left')}</span><a href="${link('/')}">Sessions</a>${when(
    folder,
    () =>
      html` <span aria-hidden="true">/</span> <a href="${link(addressOf('/', { folder: folder?.id ?? '' }))}"><bdi>${folder?.name}</bdi></a>`
  )}</p>
<div class="headline"><h1 dir="auto">${title}</h1>${around ? actions(visit, session, around) : ''}</div>
<div class="about-it"><span>${icon(kind.icon)}${kind.words}</span>${when(platform, () => html` <span>${platform}</span>`)}
<span>${timestamp ? atTime(new Date(timestamp), visitor?.timeZone) : 'without a date'}</span>${when(seconds > 0, () => html` <span>${lengthOf(seconds)}</span>`)}
${around ? peopleOf(link, around.speakers, around.people) : ''}
${labelsOf(link, tags, around?.inside ?? [])}${when(around, () => html`<a class="label" href="${link(`/s/${session.id}?open=about#about`)}">+ Tag</a>`)}</div>`
}

function actions({ link, form }: Visit, { id }: AdminSession, { transcript, recordings }: Around): Html {
  const captions = transcript.hasTimes ? [file('.srt', 'Captions'), file('.vtt', 'Captions')] : []
  const files = [file('.txt', 'Text'), file('.md', 'Markdown'), ...captions, file('.json', 'Everything')]
  function file(ending: string, words: string) {
    const name = ending === '.json' ? 'session.json' : `transcript${ending}`
    return html`<a href="${link(`/s/${id}/${name}`)}" download>${words} <span class="num">${ending}</span></a>`
  }
  const saved = recordings.map(({ href, words, isElsewhere }) =>
    isElsewhere
      ? html`<a href="${href}" rel="noreferrer">${words} <span class="num">on another server</span></a>`
      : html`<a href="${href}" download>${words}</a>`
  )
  const panel = (name: string, words: string) => html`<a href="${link(`/s/${id}?open=${name}#${name}`)}">${words}</a>`
  return html`<div class="acts"><a class="button share" href="${link(`/s/${id}?open=sharing#sharing`)}">${icon('shared')}Share</a>
<details class="menu"><summary class="button second">${icon('download')}Download${icon('down')}</summary><div class="pop">${files}${saved}</div></details>
<details class="menu"><summary class="button second icon" aria-label="More">${icon('more')}</summary><div class="pop">${panel('about', 'Title, date, tags, folders')}${panel('summary', 'Edit the summary')}${panel('speakers', 'Who speaks')}<a href="${link(`/s/${id}/correct`)}">Correct the transcript</a>${form(`/s/${id}/trash`, html`<button class="danger">${icon('trash')}Move to the trash</button>`)}</div></details></div>`
}

/** The most names that the page begins with; the transcript has all. */
const MAX_NAMES = 8
const MAX_FACES = 4

/** The speakers; one who is a person of the library leads to the other sessions with them. */
function peopleOf(link: Visit['link'], { count, first }: FirstNames, people: readonly Person[]): Html | '' {
  if (count === 0) return ''
  const names = first.slice(0, MAX_NAMES).map((name, at) => {
    const person = people.find(one => one.name === name)
    const shown = html`<bdi>${name}</bdi>`
    const linked = person ? html`<a href="${link(`/?person=${person.id}`)}">${shown}</a>` : shown
    return html`${at > 0 ? ', ' : ''}${linked}`
  })
  return html`<span class="faces">${first.slice(0, MAX_FACES).map(name => face(name))}</span>
<span class="with"><span>With ${names}${count > MAX_NAMES ? ` and ${count - MAX_NAMES} more` : ''}</span></span>`
}

/** The way to the parts of the page. */
export function jumps({ summary, action_items: items = [] }: AdminSession, speakers: number): Html {
  const parts: { id: string; name: string; count?: number; isPhone?: boolean }[] = [
    ...(summary ? [{ id: 'summary', name: 'Summary' }] : []),
    { id: 'transcript', name: 'Transcript', isPhone: true },
    ...(items.length > 0 ? [{ id: 'items', name: 'Action items', count: items.length }] : []),
    { id: 'your-notes', name: 'Notes' },
    ...(speakers > 0 ? [{ id: 'voices', name: 'People', count: speakers }] : []),
    { id: 'more', name: 'About' }
  ]
  return html`<nav class="tabs" aria-label="In this session">${parts.map(
    ({ id, name, count, isPhone }) =>
      html`<a href="#${id}"${when(isPhone, () => html` class="phone"`)}>${name}${when(count, () => html` <span class="quiet">${count}</span>`)}</a>`
  )}</nav>`
}
