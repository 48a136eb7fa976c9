import { join } from 'node:path'
import type { SoundTools } from '../../../platform/ports/sound-tools.ts'
import type { Segment } from '../../../platform/text/segment.ts'
import { joinSpans, type Prepared, prepareSound, SILENT } from './ffmpeg.ts'
import { LEVELS_PER_SECOND } from './mix.ts'
import { audiblePieces, findSpeech, isVoiced, voicedPieces } from './speech.ts'
import { cutAtGaps, JOINT, openTimeline, type Span, type Timeline } from './timeline.ts'

/** The sound of a recording as it is sent: one voice, without long pauses. */
export interface Sound {
  path: string
  levels: number[]
  timeline: Timeline
  /** The length of the recording. */
  seconds: number
  /** Whether a server that gets the recording itself hears the same: one track, one clock, and no long pause. */
  isLikeRecording: boolean
  /** Returns whether somebody may be speaking somewhere in a segment. */
  hasVoice(segment: Pick<Segment, 'start' | 'end'>): boolean
}

/** A recording that is shorter is sent even if no voice is heard: the detector needs a moment. */
const SHORT_SECONDS = 5

/** Prepares a recording, and finds what of it is speech. Rejects with a ProgramFailure if ffmpeg is missing or cannot read it. */
export async function listen(
  tools: SoundTools,
  { path, folder, signal }: { path: string; folder: string; signal: AbortSignal }
): Promise<Sound> {
  const hearing = tools.voices?.listen()
  const prepared = await prepareSound(tools, path, join(folder, 'sound.ogg'), {
    signal,
    async onSamples(samples) {
      await hearing?.hear(samples, signal)
    }
  })
  const windows = await hearing?.end(signal)
  const { levels, startsMs, seconds } = prepared
  const isShort = levels.length < SHORT_SECONDS * LEVELS_PER_SECOND
  const voiced = windows && isVoiced(windows) ? voicedPieces(windows, levels.length) : undefined
  // A voice that the detector does not know is sent as well: only silence is left out where it hears none.
  const speech = isShort ? [{ from: 0, to: levels.length }] : findSpeech(voiced ?? audiblePieces(levels))
  const spans = cutAtGaps(speech, startsMs)
  return {
    path:
      spans.length === 0 || isWhole(spans, levels)
        ? prepared.path
        : await joinSpans(tools, prepared, spans, { folder, signal }),
    levels: spans.flatMap(({ from, to }, at) => [
      ...Array<number>(at > 0 ? JOINT : 0).fill(SILENT),
      ...levels.slice(from, to)
    ]),
    timeline: openTimeline(spans, startsMs, seconds * 1_000),
    seconds,
    isLikeRecording: isWhole(spans, levels) && isPlain(prepared),
    hasVoice: voiced ? voiceFinder(voiced, startsMs) : () => windows === undefined
  }
}

function isWhole(spans: readonly Span[], levels: readonly number[]) {
  return spans.length === 1 && spans[0]?.from === 0 && spans[0].to === levels.length
}

/** Sound that begins later than the picture has another clock when it is sent alone. */
const LATE_MS = 500

function isPlain({ tracks, cancelsOut, startsMs }: Prepared) {
  return tracks === 1 && !cancelsOut && (startsMs[0] ?? 0) < LATE_MS
}

function voiceFinder(voiced: readonly boolean[], startsMs: readonly number[]) {
  const indexOf = (ms: number) => {
    let [low, high] = [0, startsMs.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((startsMs[middle] ?? 0) <= ms) low = middle + 1
      else high = middle
    }
    return Math.max(0, low - 1)
  }
  return ({ start, end }: Pick<Segment, 'start' | 'end'>) => {
    const from = start === null ? 0 : indexOf(start * 1_000)
    const to = end === null ? voiced.length : indexOf(end * 1_000) + 1
    return voiced.slice(from, to).some(Boolean)
  }
}
