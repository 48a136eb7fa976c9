import { stat } from 'node:fs/promises'
import { ProgramFailure, type Programs, runProgram } from '../../../platform/work/child-program.ts'

/** The level of each piece of a recording in decibels, by which places without speech are found. */
export const LEVELS_PER_SECOND = 10

/** Bytes that a second of prepared sound has at most, with those of its container. */
export const BYTES_PER_SECOND = 3_600

const RATE = 16_000
const KILOBITS = 24
/** Longer recordings end here: a crafted file may claim to last for years. */
const MAX_SECONDS = 100 * 3_600
/** The most that ffmpeg writes of a level, with its time. */
const CHARACTERS_PER_LEVEL = 128
const PREPARE_TIMEOUT_MS = 45 * 60_000
const CUT_TIMEOUT_MS = 5 * 60_000
const SILENT = -120

/** Formats that hold their sound themselves. Others, such as playlists, name files or addresses that their sender may not read. */
const FORMATS =
  'aac,ac3,aiff,amr,ape,asf,au,avi,caf,dsf,eac3,flac,flv,gsm,matroska,mov,mp3,mpc,mpc8,mpeg,mpegts,mxf,nut,ogg,oma,rm,tta,voc,w64,wav,wv,xwma'

const BOUNDS = ['-nostdin', '-hide_banner', '-v', 'error', '-max_alloc', String(256 * 1024 ** 2), '-threads', '1']
const input = (path: string, formats: string) =>
  ['-protocol_whitelist', 'file,pipe', '-format_whitelist', formats, '-i', `file:${path}`] as const
const output = (path: string) => ['-map_metadata', '-1', '-f', 'ogg', '-y', `file:${path}`] as const

export interface Prepared {
  path: string
  seconds: number
  levels: number[]
}

/**
 * Converts the sound of a recording to what every provider reads, small and in one voice, and measures its levels. Rejects with a
 * ProgramFailure if ffmpeg is missing or cannot read it.
 */
export async function prepareSound(
  { programPath }: Programs,
  from: string,
  to: string,
  signal: AbortSignal
): Promise<Prepared> {
  const levels: number[] = []
  const filters = [
    `aresample=${RATE}`,
    'aformat=sample_fmts=flt:channel_layouts=mono',
    `asetnsamples=n=${RATE / LEVELS_PER_SECOND}:p=0`,
    'astats=metadata=1:reset=1:measure_perchannel=none:measure_overall=RMS_level',
    'ametadata=mode=print:key=lavfi.astats.Overall.RMS_level:file=-'
  ].join(',')
  const codec = ['-c:a', 'libopus', '-b:a', `${KILOBITS}k`, '-vbr', 'constrained', '-compression_level', '5']
  const args = [...BOUNDS, ...input(from, FORMATS), '-map', '0:a:0', '-vn', '-sn', '-dn', '-t', String(MAX_SECONDS)]
  await runProgram('ffmpeg', [...args, '-af', filters, ...codec, ...output(to)], {
    programPath,
    timeoutMs: PREPARE_TIMEOUT_MS,
    maxOutput: MAX_SECONDS * LEVELS_PER_SECOND * CHARACTERS_PER_LEVEL,
    signal,
    onLine(line) {
      const [, level] = /RMS_level=(\S+)$/.exec(line) ?? []
      if (level !== undefined) levels.push(Number.isFinite(Number(level)) ? Math.max(Number(level), SILENT) : SILENT)
    }
  })
  return { path: to, seconds: levels.length / LEVELS_PER_SECOND, levels }
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
