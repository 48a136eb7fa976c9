import { isInstant } from '../../contract/instant.ts'
import { recordingExtension } from '../../contract/recording.ts'
import type { MediaKind } from '../../platform/ports/media-store.ts'
import type { Programs } from '../../platform/work/child-program.ts'
import { extensionOf } from '../transcript-formats/parse.ts'
import { UnreadableTranscript } from '../transcript-formats/transcript.ts'
import { probeRecording } from './probe.ts'

/** The bytes by which the format of a file is detected. */
export const SNIFFED_BYTES = 4_100

/** Files of these names are transcripts, whatever their bytes. */
const TRANSCRIPT_EXTENSIONS = new Set(
  'vtt srt sbv lrc txt text md markdown docx tsv csv json jsonl xml ttml dfxp itt html htm log rtf pdf doc'.split(' ')
)

/** Formats that only name other files, which the sender may not read. */
const PLAYLISTS = new Set(['concat', 'dash', 'hls', 'imf', 'rtsp', 'sdp', 'webm_dash_manifest'])

/** The properties of a recording that it says itself. */
interface CheckedRecording {
  /** When it was recorded, in UTC. */
  recordedAt: string | undefined
  /** By its streams. Undefined where nothing reads them, and the name decides. */
  kind: MediaKind | undefined
}

/**
 * Throws UnreadableTranscript unless a file holds sound. ffprobe decides where it is installed, so that everything is taken that ffmpeg reads;
 * elsewhere the first bytes decide.
 */
export async function checkRecording(path: string, programs: Programs, led = ''): Promise<CheckedRecording> {
  const probed = await probeRecording(path, programs)
  if (probed === undefined) {
    if (!(await looksRecorded(path))) throw unreadable(led)
    return { recordedAt: undefined, kind: undefined }
  }
  if (probed === 'unreadable' || probed.formats.some(name => PLAYLISTS.has(name))) throw unreadable(led)
  const { streams, hasSamples, creationTime } = probed
  if (!streams.some(({ kind }) => kind === 'audio'))
    throw new UnreadableTranscript(`${led}The recording has no sound: send one with an audio track.`)
  if (!hasSamples)
    throw new UnreadableTranscript(
      `${led}The audio track of the recording is empty, as when the recorder was stopped at once: send a recording with sound in it.`
    )
  return {
    recordedAt: isPlausible(creationTime) ? creationTime : undefined,
    kind: streams.some(({ kind }) => kind === 'video') ? 'video' : 'audio'
  }
}

function unreadable(led: string) {
  return new UnreadableTranscript(
    `${led}The bytes are no audio or video: send a recording, such as .mp3, .m4a, .wav or .mp4, or the transcript under its own ending.`
  )
}

/** Returns whether the name leaves open if its file is a recording, so that its first bytes have to be seen. */
export function isOpenName(name: string) {
  return recordingExtension(name) === undefined && !TRANSCRIPT_EXTENSIONS.has(extensionOf(name))
}

/** Returns the extension of a recording that begins with these bytes. */
export async function detectExtension(first: Uint8Array) {
  const { fileTypeFromBuffer } = await import('file-type')
  const { ext, mime } = (await fileTypeFromBuffer(first)) ?? {}
  return mime !== undefined && isRecorded(mime) ? recordingExtension(`recording.${ext}`) : undefined
}

async function looksRecorded(path: string) {
  const { fileTypeFromFile } = await import('file-type')
  const found = await fileTypeFromFile(path)
  return found !== undefined && isRecorded(found.mime)
}

function isRecorded(mime: string) {
  return mime.startsWith('audio/') || mime.startsWith('video/') || OTHER_RECORDED.includes(mime)
}

const OTHER_RECORDED = ['application/ogg', 'application/mxf', 'application/vnd.ms-asf']

/** Recorders whose clock was never set begin in 1904 or 1970. */
const EARLIEST_YEAR = 1990

function isPlausible(creationTime = '') {
  return isInstant(creationTime) && new Date(creationTime).getUTCFullYear() >= EARLIEST_YEAR
}
