import type { MediaResponse } from '../../contract/media.ts'
import type { Services } from '../../features/services.ts'
import { html } from '../web/html.ts'
import { type Player, showRecording } from './recording.ts'
import { recordingForm } from './recording-form.ts'
import type { Visit } from './visit.ts'

const SPEEDS = [0.75, 1, 1.25, 1.5, 1.75, 2]
const NONE = { mediaOrigin: undefined }

/** The recording of a session of one's own, with what the script needs to steer it. */
export async function sessionPlayer(
  services: Pick<Services, 'publicUrl' | 'media' | 'clock'>,
  visit: Pick<Visit, 'link' | 'form'>,
  { id: sessionId, audio_url: audio, video_url: video, audio_deleted_at: deletedAt }: MediaResponse
): Promise<Player> {
  if (deletedAt !== null)
    return { ...NONE, player: html`<p class="quiet">The recording was deleted; the words stay.</p>` }
  const url = video ?? audio
  if (url === null) return { ...NONE, player: recordingForm(visit, sessionId) }
  const external = !url.startsWith(`${services.publicUrl}/v1/media/`)
  // An import may name any address; only one of the web becomes a link.
  if (external && !['http:', 'https:'].includes(URL.parse(url)?.protocol ?? ''))
    return { ...NONE, player: html`<p class="quiet">The recording is on another server.</p>` }
  const kind = video === null ? 'audio' : 'video'
  const { player, mediaOrigin } = await showRecording(services, visit, { kind, url, external })
  if (external) return { player, mediaOrigin }
  const speeds = SPEEDS.map(speed => html`<option value="${speed}">${speed}×</option>`)
  const steered = html`<div class="recording ${kind === 'audio' ? 'sound' : 'picture'}">
${player}
<div class="playing" hidden><label>Speed <select id="speed">${speeds}</select></label>
<label><input type="checkbox" id="follow" checked> Follow</label>
<span class="keys">Keys: <kbd>k</kbd> play, <kbd>j</kbd> <kbd>l</kbd> 10 seconds, <kbd>&lt;</kbd> <kbd>&gt;</kbd> speed</span></div></div>`
  return { player: steered, mediaOrigin }
}
