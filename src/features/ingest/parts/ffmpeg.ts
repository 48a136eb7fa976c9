import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { secondOfSilence } from '../../../platform/ai/silence.ts'
import { ProgramFailure, type Programs, runProgram } from '../../../platform/work/child-program.ts'
import { probeRecording } from '../probe.ts'
import { LEVELS_PER_SECOND, mixFilters, RATE, type Track } from './mix.ts'
import { JOINT, type Span } from './timeline.ts'

/** Bytes that a second of prepared sound has at most, with those of its container. */
export const BYTES_PER_SECOND = 3_600

const KILOBITS = 24
const CODEC = ['-c:a', 'libopus', '-b:a', `${KILOBITS}k`, '-vbr', 'constrained', '-compression_level', '5']
/** Longer recordings end here: a crafted file may claim to last for years. */
const MAX_SECONDS = 100 * 3_600
/** The most that ffmpeg writes of a piece: its time and two levels. */
const CHARACTERS_PER_LEVEL = 256
const PREPARE_TIMEOUT_MS = 45 * 60_000
const CUT_TIMEOUT_MS = 5 * 60_000
/** The level of digital silence. */
export const SILENT = -120

/** Formats that hold their sound themselves. Others, such as playlists, name files or addresses that their sender may not read. */
const FORMATS =
  'aac,ac3,aiff,amr,ape,asf,au,avi,caf,dsf,eac3,flac,flv,gsm,matroska,mov,mp3,mpc,mpc8,mpeg,mpegts,mxf,nut,ogg,oma,rm,tta,voc,w64,wav,wv,xwma'

const BOUNDS = ['-nostdin', '-hide_banner', '-v', 'error', '-max_alloc', String(256 * 1024 ** 2), '-threads', '1']
const input = (path: string, formats: string) =>
  ['-protocol_whitelist', 'file,pipe', '-format_whitelist', formats, '-i', `file:${path}`] as const
const output = (path: string) => ['-map_metadata', '-1', '-f', 'ogg', '-y', `file:${path}`] as const

/** The sound of a recording in one voice, without its gaps in time. */
export interface Prepared {
  path: string
  /** The length on the clock of a player, gaps included. */
  seconds: number
  /** The level of each piece of the sound in decibels. */
  levels: number[]
  /** When each piece starts on the clock of a player, in milliseconds. */
  startsMs: number[]
  tracks: number
  /** Whether the plain sum of the channels would lose most of the sound, because they are in opposite phase. */
  cancelsOut: boolean
}

/**
 * Converts the sound of a recording to what every provider reads, small and in one voice, and measures its levels. `onSamples` gets its samples
 * as they are read, 16 bits each. Rejects with a ProgramFailure if ffmpeg is missing or cannot read it.
 */
export async function prepareSound(
  programs: Programs,
  from: string,
  to: string,
  { signal, onSamples }: { signal: AbortSignal; onSamples: (samples: Buffer) => Promise<void> }
): Promise<Prepared> {
  const tracks = await findTracks(from, programs)
  const pieces = openPieces()
  let bytes = 0
  const read = [...BOUNDS, '-t', String(MAX_SECONDS), ...input(from, FORMATS)]
  const filters = ['-filter_complex_threads', '1', '-filter_complex', mixFilters(tracks)]
  const sound = ['-map', '[sound]', ...CODEC, ...output(to)]
  const samples = ['-map', '[samples]', '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:4']
  await runProgram('ffmpeg', [...read, ...filters, ...sound, ...samples], {
    programPath: programs.programPath,
    timeoutMs: PREPARE_TIMEOUT_MS,
    maxOutput: MAX_SECONDS * LEVELS_PER_SECOND * CHARACTERS_PER_LEVEL,
    signal,
    onLine: pieces.read,
    async onBytes(chunk) {
      bytes += chunk.length
      await onSamples(chunk)
    }
  })
  const { levels, startsMs, cancelsOut } = pieces
  const last = levels.length - 1
  const lastSeconds = bytes / 2 / RATE - Math.max(0, last) / LEVELS_PER_SECOND
  const seconds = Math.round((startsMs[last] ?? 0) + lastSeconds * 1_000) / 1_000
  return { path: to, seconds, levels, startsMs, tracks: tracks.length, cancelsOut: cancelsOut() }
}

/** Without ffprobe the tracks are unknown, and one of them is heard. */
async function findTracks(path: string, programs: Programs): Promise<Track[]> {
  const probed = await probeRecording(path, programs)
  const tracks = typeof probed === 'object' ? probed.streams.filter(({ kind }) => kind === 'audio') : []
  return tracks.length > 0 ? tracks : [{ channels: undefined }]
}

/** Sound that is so much softer as a plain sum has cancelled itself out. */
const CANCELLED = 4

/** Reads the times and levels that ffmpeg prints. */
function openPieces() {
  const levels: number[] = []
  const startsMs: number[] = []
  const power = { mixed: 0, plain: 0 }
  return {
    levels,
    startsMs,
    cancelsOut: () => power.plain > 0 && power.mixed > CANCELLED * power.plain,
    read(line: string) {
      const [, seconds, channel, level] = /pts_time:(\S+)|\.([12])\.RMS_level=(\S+)$/.exec(line) ?? []
      if (seconds !== undefined) startsMs.push(Math.max(startsMs.at(-1) ?? 0, Math.round(Number(seconds) * 1_000) || 0))
      if (level === undefined) return
      const decibels = Number.isFinite(Number(level)) ? Math.max(Number(level), SILENT) : SILENT
      power[channel === '1' ? 'mixed' : 'plain'] += 10 ** (decibels / 10)
      if (channel === '1') levels.push(decibels)
    }
  }
}

/** Copies a stretch of prepared sound into a file of its own. Returns its size in bytes. */
export async function cutSound(
  { programPath }: Programs,
  from: string,
  to: string,
  { start, end, signal }: { start: number; end: number; signal: AbortSignal }
) {
  // The start stands behind the input, where it is exact: before it, a seek ends at the page of the container.
  const range = ['-ss', start.toFixed(3), '-t', (end - start).toFixed(3)]
  await runProgram('ffmpeg', [...BOUNDS, ...input(from, 'ogg'), ...range, '-c', 'copy', ...output(to)], {
    programPath,
    timeoutMs: CUT_TIMEOUT_MS,
    signal
  })
  return (await stat(to)).size
}

/**
 * Joins spans of prepared sound with a second of silence between them, without encoding them again. Returns the path of the sound. `folder` gets
 * the files that this takes.
 */
export async function joinSpans(
  { programPath }: Programs,
  { path, levels }: Prepared,
  spans: readonly Span[],
  { folder, signal }: { folder: string; signal: AbortSignal }
) {
  const bounds = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].toSorted((a, b) => a - b)
  const cuts = bounds.filter(bound => bound > 0 && bound < levels.length)
  const run = (args: string[]) =>
    runProgram('ffmpeg', [...BOUNDS, ...args], { programPath, timeoutMs: CUT_TIMEOUT_MS, signal })
  const silence = join(folder, 'silence.wav')
  await writeFile(silence, secondOfSilence())
  await run([...input(silence, 'wav'), ...CODEC, ...output(join(folder, 'silence.ogg'))])
  const times = cuts.map(cut => (cut / LEVELS_PER_SECOND).toFixed(1)).join(',')
  const segment = ['-f', 'segment', '-segment_format', 'ogg', '-segment_times', times, '-reset_timestamps', '1']
  await run([...input(path, 'ogg'), '-c', 'copy', ...segment, '-y', join(folder, 'span%d.ogg')])
  const list = join(folder, 'spans.txt')
  const entry = (name: string, pieces: number) =>
    `file '${name}.ogg'\nduration ${(pieces / LEVELS_PER_SECOND).toFixed(1)}\n`
  const entries = spans.map(({ from, to }) => entry(`span${cuts.filter(cut => cut <= from).length}`, to - from))
  await writeFile(list, `ffconcat version 1.0\n${entries.join(entry('silence', JOINT))}`)
  const joined = join(folder, 'joined.ogg')
  await run([...input(list, 'concat,ogg'), '-c', 'copy', ...output(joined)])
  return joined
}

/** The version that a program of FFmpeg names. Rejects with a ProgramFailure where it is missing. */
export async function versionOf(program: 'ffmpeg' | 'ffprobe', { programPath }: Programs) {
  let first = ''
  await runProgram(program, ['-version'], {
    programPath,
    timeoutMs: 10_000,
    onLine(line) {
      first ||= line
    }
  })
  const [, version] = /^\w+ version (\S+)/.exec(first) ?? []
  if (version === undefined) throw new ProgramFailure(program, 'failed', first)
  return version
}
