import type { QuotedLine, Quoting, TranscriptPart } from '../../platform/ports/transcript-writer.ts'
import { flatText, isTimed, type Segment } from '../../platform/text/segment.ts'
import { hasTimes, segmentsWithin } from './transcript-file.ts'

type Wanted = Pick<Quoting, 'range' | 'around' | 'indexed' | 'first' | 'characters'>

/** Returns the lines of a transcript that an assistant gets. Without times, a turn is a line. */
export function toPart(
  segments: readonly Segment[],
  { range = {}, around, indexed = false, first, characters }: Wanted
): TranscriptPart {
  const within = segmentsWithin(segments, range)
  if (indexed) {
    const lines = indexLines(segments, within)
    const startsAt = lines[0]?.start ?? 0
    return { hasTimes: hasTimes(within), startsAt, count: lines.length, lines: cut(lines, first, characters) }
  }
  if (!hasTimes(within)) {
    const turns = flatText(within).split('\n')
    const lines = turns.filter(line => line !== '').map(text => ({ text }))
    return { hasTimes: false, startsAt: 0, count: lines.length, lines: cut(lines, first, characters) }
  }
  const timed = within.filter(isTimed)
  const startsAt = timed[0]?.start ?? 0
  const said = around ? timed.filter(({ start, end }) => end > around.from && start < around.to) : timed
  const lines = joinTurns(said.map(({ speaker, start, text }) => ({ speaker, start, text })))
  return {
    hasTimes: true,
    startsAt,
    count: lines.length,
    lines: cut(lines, first, characters),
    next: around && timed.find(({ start }) => start >= around.to)?.start
  }
}

/** Returns each segment with its place in the whole transcript, by which a correction names it. */
function indexLines(segments: readonly Segment[], within: readonly Segment[]): QuotedLine[] {
  const wanted = new Set(within)
  return segments.flatMap((segment, index) => {
    const { speaker, start, text } = segment
    return wanted.has(segment) ? [{ index, speaker, ...(start !== null && { start }), text }] : []
  })
}

/** The characters to which segments are joined, so that a line is still cited by the second at which it begins. */
const JOINED = 400

interface Turn {
  speaker: string
  start: number
  text: string
}

/** Joins segments of one speaker that follow each other, because each line has its own time and name. */
function joinTurns(segments: readonly Turn[]): Turn[] {
  const turns: Turn[] = []
  for (const segment of segments) {
    const last = turns.at(-1)
    if (last?.speaker === segment.speaker && last.text.length + segment.text.length < JOINED)
      turns[turns.length - 1] = { ...last, text: `${last.text} ${segment.text}` }
    else turns.push(segment)
  }
  return turns
}

/** Returns the lines from the first on, with one more than fit. */
function cut<Line extends { text: string }>(lines: readonly Line[], first: number, characters: number) {
  let end = first
  for (let left = characters; left >= 0 && end < lines.length; end++) left -= lines[end]?.text.length ?? 0
  return lines.slice(first, end)
}
