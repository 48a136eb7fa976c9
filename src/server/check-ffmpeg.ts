import type { Check } from '../contract/check.ts'
import { versionOf } from '../features/ingest/parts/ffmpeg.ts'
import type { Config } from '../platform/config/config.ts'

/** Names the programs of FFmpeg, which are installed apart on some systems. A missing one is a warning only, because most works without it. */
export async function checkFfmpeg({ sound, transcription }: Config): Promise<Check[]> {
  const describe = async (program: 'ffmpeg' | 'ffprobe', without: string) => {
    const detail = await versionOf(program, sound).then(
      version => `${program} ${version}`,
      () => `not installed, so ${without}`
    )
    return { check: program, ok: true, detail }
  }
  const unprobed = describe('ffprobe', 'the first bytes of a recording decide whether it is one')
  if (!transcription) return [await unprobed]
  const size = transcription.maxBytes.toLocaleString('en')
  return await Promise.all([describe('ffmpeg', `recordings of more than ${size} bytes are not transcribed`), unprobed])
}
