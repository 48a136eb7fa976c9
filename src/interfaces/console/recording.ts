import type { Services } from '../../features/services.ts'
import type { MediaKind } from '../../platform/ports/media-store.ts'
import { type Html, html } from '../web/html.ts'
import type { Visit } from './visit.ts'

interface Recording {
  kind: MediaKind
  url: string
  /** Whether another server hosts it. */
  external: boolean
}

/** The player of a recording, and the server that its bytes come from if it is another one: the view names it as `mediaOrigin`. */
export interface Player {
  player: Html
  mediaOrigin: string | undefined
}

/** Shows a recording. One that another server hosts is a link, because pages load nothing that their operator did not choose. */
export async function showRecording(
  { publicUrl, media, clock }: Pick<Services, 'publicUrl' | 'media' | 'clock'>,
  { link }: Pick<Visit, 'link'>,
  { kind, url, external }: Recording
): Promise<Player> {
  if (external)
    return {
      player: html`<p><a href="${url}" rel="noreferrer">Open the recording</a>, which is on another server</p>`,
      mediaOrigin: undefined
    }
  const source = link(url.slice(publicUrl.length))
  const { source: store } = media
  const mediaOrigin = 'presign' in store ? new URL(await store.presign(ANY_KEY, 'GET', clock.now())).origin : undefined
  const player =
    kind === 'audio'
      ? html`<audio controls preload="metadata" src="${source}"></audio>`
      : html`<video controls preload="metadata" src="${source}"></video>`
  const download = html`<p class="download"><span class="unplayed" role="status" hidden>This browser can't play the recording. Download it, and open it in another player. </span>
<a href="${source}" download>Download the recording</a></p>`
  return {
    player: html`${player}
${download}`,
    mediaOrigin
  }
}

/** Every recording of a bucket has the same origin. */
const ANY_KEY = 'any/any/audio.mp3'
