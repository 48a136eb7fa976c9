import { oneLine } from '../../contract/text.ts'
import type { FirstNames, PageLines, Showing } from '../../platform/ports/transcript-writer.ts'
import { clockTime } from '../../platform/text/clock-text.ts'
import { escapeHtml } from '../../platform/text/escape.ts'
import { nameKey } from '../../platform/text/fold.ts'
import { isTimed, type Segment, type TimedSegment } from '../../platform/text/segment.ts'

/** A turn of more lines is cut, so that the browser lays out only the parts in view. */
const MAX_LINES = 40

/** The names that a page lists; a search finds the others. */
export const MAX_NAMES = 50

type Page = Omit<PageLines, 'lines'> & { lines: string }

/**
 * Writes a transcript as markup, a turn a piece, and lists the speakers whose names have the words of a search. A line that begins in a new second has
 * the id `t=SECOND`, which links to moments name, and each line leads to its correction where there is an address for that. The markup is not made
 * by templates, because it is made where long transcripts are read.
 */
export function toPageLines(
  segments: readonly Segment[],
  { search, correctAt }: Pick<Showing, 'correctAt'> & { search: string }
): Page {
  const hasTimes = segments.length > 0 && segments.every(isTimed)
  const toFix = correctAt === undefined ? () => '' : fixLinks(correctAt)
  const turns = hasTimes ? timedTurns(segments.filter(isTimed), toFix) : untimedTurns(segments, toFix)
  const names = [...new Set(segments.map(({ speaker }) => speaker))]
  const key = nameKey(search)
  const matching = key === '' ? names : names.filter(name => nameKey(name).includes(key))
  return {
    lines: turns.join(''),
    hasLines: segments.length > 0,
    hasTimes,
    speakers: firstOf(names),
    listed: firstOf(matching)
  }
}

function firstOf(names: readonly string[]): FirstNames {
  return { count: names.length, first: names.slice(0, MAX_NAMES) }
}

/** Writes the link to the correction of the line with an index. */
type FixLink = (index: number) => string

function fixLinks(correctAt: string): FixLink {
  const address = escapeHtml(correctAt)
  return index => ` <a class="fix" href="${address}${index}" title="Correct this line"></a>`
}

function timedTurns(segments: readonly TimedSegment[], toFix: FixLink) {
  const turns: string[] = []
  let second = -1
  let speaker: string | undefined
  for (let at = 0; at < segments.length; ) {
    const first = segments[at]
    let lines = ''
    const end = at + MAX_LINES
    for (; at < end && segments[at]?.speaker === first?.speaker && at < segments.length; at++) {
      const { start, text } = segments[at] ?? { start: 0, text: '' }
      lines += timedLine({ start, text, isFirst: Math.floor(start) !== second, fix: toFix(at) })
      second = Math.floor(start)
    }
    turns.push(turnOf(first?.speaker === speaker ? '' : (first?.speaker ?? ''), lines))
    speaker = first?.speaker
  }
  return turns
}

function timedLine({ start, text, isFirst, fix }: { start: number; text: string; isFirst: boolean; fix: string }) {
  const second = Math.floor(start)
  const id = isFirst ? ` id="t=${second}"` : ''
  return `<p${id} data-s="${start}"><a href="#t=${second}">${clockTime(start)}</a> <span dir="auto">${escapeHtml(text)}</span>${fix}</p>`
}

/** Without times, what one speaker says is one line. It leads to the correction of its first segment. */
function untimedTurns(segments: readonly Segment[], toFix: FixLink) {
  const turns: { speaker: string; texts: string[]; first: number }[] = []
  for (const [at, { speaker, text }] of segments.entries()) {
    const turn = turns.at(-1)
    if (turn?.speaker === speaker) turn.texts.push(oneLine(text))
    else turns.push({ speaker, texts: [oneLine(text)], first: at })
  }
  return turns.map(({ speaker, texts, first }) =>
    turnOf(speaker, `<p dir="auto">${escapeHtml(texts.join(' '))}${toFix(first)}</p>`)
  )
}

function turnOf(speaker: string, lines: string) {
  const name = speaker === '' ? '' : `<p class="speaker" dir="auto">${escapeHtml(speaker)}</p>`
  return `<div class="turn">${name}${lines}</div>\n`
}
