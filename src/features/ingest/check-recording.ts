import { open } from 'node:fs/promises'
import { isInstant } from '../../contract/instant.ts'
import { recordingExtension } from '../../contract/recording.ts'
import { ProgramFailure, type Programs, runProgram } from '../../platform/work/child-program.ts'
import { extensionOf } from '../transcript-formats/parse.ts'
import { UnreadableTranscript } from '../transcript-formats/transcript.ts'

/** The bytes by which the format of a file is detected. */
export const SNIFFED_BYTES = 4_100

/** Files of these names are transcripts, whatever their bytes. */
const TRANSCRIPT_EXTENSIONS = new Set(
  'vtt srt sbv lrc txt text md markdown docx tsv csv json jsonl xml ttml dfxp itt html htm log rtf pdf doc'.split(' ')
)

const DEADLINE_MS = 10_000
const MAX_ALLOCATION = 256 * 1024 ** 2

/** Formats that only name other files, which the sender may not read. */
const PLAYLISTS = new Set(['concat', 'dash', 'hls', 'imf', 'rtsp', 'sdp', 'webm_dash_manifest'])

/**
 * Returns when the file says that it was recorded, in UTC. Throws UnreadableTranscript unless it holds sound. ffprobe decides where it is installed, so that everything is taken that ffmpeg reads;
 * elsewhere the first bytes decide.
 */
export async function checkRecording(path: string, programs: Programs, led = ''): Promise<string | undefined> {
  const { probed, recordedAt } = await probe(path, programs)
  if (probed === 'silent')
    throw new UnreadableTranscript(`${led}The recording has no sound: send one with an audio track.`)
  if (probed === 'unreadable' || (probed === undefined && !(await looksRecorded(path))))
    throw new UnreadableTranscript(
      `${led}The bytes are no audio or video: send a recording, such as .mp3, .m4a, .wav or .mp4, or the transcript under its own ending.`
    )
  return recordedAt
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

/**
 * Returns what ffprobe says of a file. Undefined if it is not installed or takes too long. It gets an open file instead of a name, because it
 * would guess the format by the name, and may open nothing over a network.
 */
async function probe(path: string, { programPath }: Programs): Promise<Probed> {
  await using file = await open(path)
  const lines: string[] = []
  try {
    await runProgram('ffprobe', [...PROBE, 'file:/dev/fd/3'], {
      programPath,
      timeoutMs: DEADLINE_MS,
      file: file.fd,
      onLine(line) {
        if (line.trim() !== '') lines.push(line)
      }
    })
  } catch (error) {
    const isRefused = error instanceof ProgramFailure && error.reason === 'failed'
    return { probed: isRefused ? 'unreadable' : undefined }
  }
  const recordedAt = isPlausible(lines.at(-1)) ? lines.pop() : undefined
  const [format, ...streams] = lines.reverse()
  if (format === undefined || format.split(',').some(name => PLAYLISTS.has(name))) return { probed: 'unreadable' }
  return { probed: streams.includes('audio') ? 'readable' : 'silent', recordedAt }
}

interface Probed {
  probed: 'readable' | 'silent' | 'unreadable' | undefined
  recordedAt?: string | undefined
}

/** Recorders whose clock was never set begin in 1904 or 1970. */
const EARLIEST_YEAR = 1990

function isPlausible(creationTime = '') {
  return isInstant(creationTime) && new Date(creationTime).getUTCFullYear() >= EARLIEST_YEAR
}

const PROBE = [
  ['-v', 'quiet', '-max_alloc', String(MAX_ALLOCATION), '-protocol_whitelist', 'file,pipe'],
  [
    '-show_entries',
    'stream=codec_type:format=format_name:format_tags=creation_time',
    '-of',
    'default=noprint_wrappers=1:nokey=1',
    '-i'
  ]
].flat()
