import type { MediaResponse } from '../../contract/media.ts'
import type { Services } from '../../features/services.ts'
import type { Strip } from '../../platform/ports/strip.ts'
import type { Chapter, Voice } from '../../platform/ports/transcript-writer.ts'
import { clockTime } from '../../platform/text/clock-text.ts'
import { voiceOf } from '../../platform/text/initials.ts'
import { type Html, html, when } from '../web/html.ts'
import { icon } from '../web/icons.ts'
import { percent } from './numbers.ts'
import { type Player, showRecording } from './recording.ts'
import { recordingForm } from './recording-form.ts'
import { longStrip } from './strip.ts'
import type { Visit } from './visit.ts'

const SPEEDS = [0.75, 1, 1.25, 1.5, 1.75, 2]
const NONE = { mediaOrigin: undefined }

/** Those whose part of the talk stands below the strip. */
const MAX_NAMED = 4

/** The parts of a session that its player shows besides the recording. */
interface Talk {
  strip: Strip | undefined
  voices: readonly Voice[]
  chapters: readonly Chapter[]
  seconds: number
}

/** A recording that can be saved, or one on another server that can be opened. */
export interface RecordingLink {
  href: string
  words: string
  isElsewhere: boolean
}

/** The recordings of a session as links. An import may name any address; only one of the web becomes a link. */
export function recordingLinks(
  { publicUrl }: Pick<Services, 'publicUrl'>,
  { link }: Pick<Visit, 'link'>,
  { audio_url: audio, video_url: video }: MediaResponse
): RecordingLink[] {
  const areTwo = audio !== null && video !== null
  const named = [
    ['Recording, sound', audio],
    ['Recording, picture', video]
  ] as const
  return named.flatMap(([words, url]): RecordingLink[] => {
    if (url === null) return []
    const isAway = isElsewhere(publicUrl, url)
    if (isAway && !isOfWeb(url)) return []
    const href = isAway ? url : link(url.slice(publicUrl.length))
    return [{ words: areTwo ? words : 'Recording', href, isElsewhere: isAway }]
  })
}

function isElsewhere(publicUrl: string, url: string) {
  return !url.startsWith(`${publicUrl}/v1/media/`)
}

function isOfWeb(url: string) {
  return ['http:', 'https:'].includes(URL.parse(url)?.protocol ?? '')
}

/** The recording of a session of one's own. Without the script it is the browser's player, which the script replaces by the strip of the conversation. */
export async function sessionPlayer(
  services: Pick<Services, 'publicUrl' | 'media' | 'clock'>,
  visit: Pick<Visit, 'link' | 'form'>,
  { id: sessionId, audio_url: audio, video_url: video, audio_deleted_at: deletedAt }: MediaResponse,
  talk: Talk
): Promise<Player> {
  if (deletedAt !== null)
    return { ...NONE, player: html`<p class="quiet">The recording was deleted; the words stay.</p>` }
  const url = video ?? audio
  if (url === null) return { ...NONE, player: recordingForm(visit, sessionId) }
  const external = isElsewhere(services.publicUrl, url)
  if (external && !isOfWeb(url))
    return { ...NONE, player: html`<p class="quiet">The recording is on another server.</p>` }
  const kind = video === null ? 'audio' : 'video'
  const { player, mediaOrigin } = await showRecording(services, visit, { kind, url, external })
  if (external) return { player, mediaOrigin }
  const steered = html`<section class="recording ${kind === 'audio' ? 'sound' : 'picture'}" aria-label="Recording">
${player}
<div class="playing" hidden>${when(kind === 'audio', () => steering(talk))}
<div class="pace"><label><span class="hidden">Speed</span><select id="speed">${SPEEDS.map(speed => html`<option value="${speed}">${speed}×</option>`)}</select></label>
<label><input type="checkbox" id="follow" checked> Follow</label></div></div></section>`
  return { player: steered, mediaOrigin }
}

/** The buttons, and the strip that is a slider. */
function steering({ strip, voices, chapters, seconds }: Talk): Html {
  const named = voices
    .slice(0, MAX_NAMED)
    .map(({ name, part }) => html`<li class="v${voiceOf(name)}"><bdi>${name}</bdi> ${percent(part)}</li>`)
  const starts = chapters.map(({ start }) => start)
  return html`<div class="steps-of"><button type="button" class="ghost icon" data-by="-10" aria-label="Back 10 seconds">${icon('back')}</button><button type="button" class="play" aria-label="Play">${icon('play')}${icon('pause')}</button><button type="button" class="ghost icon" data-by="10" aria-label="Ahead 10 seconds">${icon('ahead')}</button></div>
<div class="wave">${strip && seconds > 0 ? longStrip(strip, starts, seconds) : html`<span class="strip"></span>`}<input type="range" min="0" max="${Math.ceil(seconds)}" step="1" value="0" aria-label="Position"></div>
<ul class="named">${named}</ul><output class="clock">0:00${when(seconds > 0, () => html` / ${clockTime(seconds)}`)}</output>`
}
