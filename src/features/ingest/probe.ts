import { open } from 'node:fs/promises'
import { z } from 'zod'
import { parseJson } from '../../platform/text/parse-json.ts'
import { ProgramFailure, type Programs, runProgram } from '../../platform/work/child-program.ts'

const DEADLINE_MS = 10_000
const MAX_ALLOCATION = 256 * 1024 ** 2

/** A stream of a recording. A cover of an album is a stream too, and no video. */
interface Stream {
  kind: 'audio' | 'video' | 'other'
  /** Undefined where the file does not say it. */
  channels: number | undefined
}

/** The description of a file by ffprobe. */
interface Probed {
  formats: string[]
  streams: Stream[]
  creationTime: string | undefined
  /** False if no stream of sound has a single packet. */
  hasSamples: boolean
}

const Described = z.object({
  format: z.object({
    format_name: z.string(),
    duration: z.coerce.number().optional().catch(undefined),
    tags: z.object({ creation_time: z.string().optional() }).optional()
  }),
  streams: z
    .array(
      z.object({
        codec_type: z.string().optional(),
        channels: z.number().optional(),
        disposition: z.object({ attached_pic: z.number().optional() }).optional()
      })
    )
    .default([])
})

const BOUNDS = ['-v', 'quiet', '-max_alloc', String(MAX_ALLOCATION), '-protocol_whitelist', 'file,pipe']
const DESCRIPTION =
  'stream=codec_type,channels:stream_disposition=attached_pic:format=format_name,duration:format_tags=creation_time'
const FIRST_PACKET = ['-select_streams', 'a', '-read_intervals', '%+#1', '-show_entries', 'packet=size']

/** Returns what ffprobe says of a file. Undefined if it is not installed or takes too long. */
export async function probeRecording(path: string, programs: Programs): Promise<Probed | 'unreadable' | undefined> {
  const described = await runProbe(path, programs, ['-show_entries', DESCRIPTION, '-of', 'json'])
  if (!Array.isArray(described)) return described
  const { data } = Described.safeParse(parseJson(described.join('\n')))
  if (!data) return 'unreadable'
  const { format, streams } = data
  return {
    formats: format.format_name.split(','),
    streams: streams.map(toStream),
    creationTime: format.tags?.creation_time,
    hasSamples: (format.duration ?? 0) > 0 || (await hasPacket(path, programs))
  }
}

/** Looked up only for a file that has no length, since a length tells it for all others. */
async function hasPacket(path: string, programs: Programs) {
  const packets = await runProbe(path, programs, [...FIRST_PACKET, '-of', 'csv=p=0'])
  return !Array.isArray(packets) || packets.some(line => Number.parseInt(line, 10) > 0)
}

/**
 * The program gets an open file instead of a name, because it would guess the format by the name, and may open nothing over a network.
 */
async function runProbe(path: string, { programPath }: Programs, show: string[]) {
  await using file = await open(path)
  const lines: string[] = []
  try {
    await runProgram('ffprobe', [...BOUNDS, ...show, '-i', 'file:/dev/fd/3'], {
      programPath,
      timeoutMs: DEADLINE_MS,
      file: file.fd,
      onLine: line => void lines.push(line)
    })
    return lines
  } catch (error) {
    return error instanceof ProgramFailure && error.reason === 'failed' ? 'unreadable' : undefined
  }
}

function toStream({ codec_type: type, channels, disposition }: z.output<typeof Described>['streams'][number]): Stream {
  const isCover = type === 'video' && disposition?.attached_pic === 1
  return { kind: type === 'audio' || (type === 'video' && !isCover) ? type : 'other', channels }
}
