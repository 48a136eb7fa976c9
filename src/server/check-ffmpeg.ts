import type { Config } from '../config/config.ts'
import type { TranscriptionProvider } from '../config/provider-settings.ts'
import { ffmpegVersion } from '../ingest/parts/ffmpeg.ts'

/** Says whether long recordings can be cut. A warning only: without ffmpeg smaller recordings are transcribed. */
export async function describeFfmpeg({ sound }: Config, { maxBytes }: TranscriptionProvider) {
  const detail = await ffmpegVersion(sound).then(
    version => `ffmpeg ${version}`,
    () => `not installed, so recordings of more than ${maxBytes.toLocaleString('en')} bytes are not transcribed`
  )
  return { check: 'ffmpeg', ok: true, detail }
}
