import { oneLine } from '../../contract/text.ts'
import type { Chapter, FirstNames, PageLines, Showing, Voice } from '../../platform/ports/transcript-writer.ts'
import { clockTime } from '../../platform/text/clock-text.ts'
import { escapeHtml } from '../../platform/text/escape.ts'
import { nameKey } from '../../platform/text/fold.ts'
import { initialsOf, voiceOf } from '../../platform/text/initials.ts'
import { isTimed, type Segment, type TimedSegment } from '../../platform/text/segment.ts'

/** A turn of more lines is cut, so that the browser lays out only the parts in view. */
const MAX_LINES = 40

/** The names that a page lists; a search finds the others. */
export const MAX_NAMES = 50

/** The voices whose part of the talk a page says. */
const MAX_VOICES = 8

type Page = Omit<PageLines, 'lines'> & { lines: string }

type Wanted = Pick<Showing, 'speaker' | 'chapters' | 'correctAt'>

/**
 * Writes a transcript as markup, a turn a piece, and lists the speakers whose names have the words of a search. A line that begins in a new second has
 * the id `t=SECOND`, which links to moments name, and each line leads to its correction where there is an address for that. The markup is not made
 * by templates, because it is made where long transcripts are read.
 */
export function toPageLines(segments: readonly Segment[], wanted: Wanted): Page {
  const hasTimes = segments.length > 0 && segments.every(isTimed)
  const { correctAt } = wanted
  const toFix = correctAt === undefined ? undefined : fixLinks(correctAt)
  const turns = hasTimes
    ? timedTurns(segments.filter(isTimed), wanted.chapters ?? [], toFix)
    : untimedTurns(segments, toFix)
  const names = [...new Set(segments.map(({ speaker }) => speaker))]
  const key = nameKey(wanted.speaker)
  const matching = key === '' ? names : names.filter(name => nameKey(name).includes(key))
  return {
    lines: turns.join(''),
    hasLines: segments.length > 0,
    hasTimes,
    speakers: firstOf(names),
    listed: firstOf(matching),
    voices: voicesOf(segments)
  }
}

function firstOf(names: readonly string[]): FirstNames {
  return { count: names.length, first: names.slice(0, MAX_NAMES) }
}

/** Those who speak the most, with their part of the talk: of its time, or without times of its text. */
function voicesOf(segments: readonly Segment[]): Voice[] {
  const talk = new Map<string, number>()
  const timed = segments.some(({ start, end }) => start !== null && end !== null && end > start)
  let all = 0
  for (const { speaker, start, end, text } of segments) {
    const amount = timed ? Math.max(0, (end ?? start ?? 0) - (start ?? 0)) : text.length
    talk.set(speaker, (talk.get(speaker) ?? 0) + amount)
    all += amount
  }
  const voices = [...talk].sort(([, a], [, b]) => b - a).slice(0, MAX_VOICES)
  return voices.map(([name, amount]) => ({ name, part: all > 0 ? amount / all : 0 }))
}

/** Writes the link to the correction of the line with an index. */
type FixLink = (index: number) => string

function fixLinks(correctAt: string): FixLink {
  const address = escapeHtml(correctAt)
  return index => ` <a class="fix" href="${address}${index}" title="Correct this line"></a>`
}

function timedTurns(segments: readonly TimedSegment[], chapters: readonly Chapter[], toFix: FixLink | undefined) {
  const turns: string[] = []
  const startOf = (chapter: number) => chapters[chapter]?.start ?? Number.POSITIVE_INFINITY
  let [second, chapter] = [-1, 0]
  let speaker: string | undefined
  for (let at = 0; at < segments.length; ) {
    const first = segments[at]
    const begun = at
    const before = chapter
    while (first && startOf(chapter) <= first.start) chapter++
    // If several begin before this line, the last one counts.
    const current = chapter > before ? chapters[chapter - 1] : undefined
    if (current) {
      turns.push(chapterOf(current))
      speaker = undefined
    }
    const until = startOf(chapter)
    let lines = ''
    const end = at + MAX_LINES
    for (; at < end && segments[at]?.speaker === first?.speaker && at < segments.length; at++) {
      const { start, text } = segments[at] ?? { start: 0, text: '' }
      if (at > begun && start >= until) break
      lines += timedLine({ start, text, isFirst: Math.floor(start) !== second, fix: toFix?.(at) ?? '' })
      second = Math.floor(start)
    }
    turns.push(
      turnOf(first?.speaker ?? '', lines, { begun, isNamed: first?.speaker !== speaker, isOwn: toFix !== undefined })
    )
    speaker = first?.speaker
  }
  return turns
}

function chapterOf({ heading }: Chapter) {
  return `<h3 class="chapter" dir="auto">${escapeHtml(heading)}</h3>\n`
}

function timedLine({ start, text, isFirst, fix }: { start: number; text: string; isFirst: boolean; fix: string }) {
  const second = Math.floor(start)
  const id = isFirst ? ` id="t=${second}"` : ''
  return `<p${id} data-s="${start}"><a href="#t=${second}">${clockTime(start)}</a> <span dir="auto">${escapeHtml(text)}</span>${fix}</p>`
}

/** Without times, what one speaker says is one line. It leads to the correction of its first segment. */
function untimedTurns(segments: readonly Segment[], toFix: FixLink | undefined) {
  const turns: { speaker: string; texts: string[]; first: number }[] = []
  for (const [at, { speaker, text }] of segments.entries()) {
    const turn = turns.at(-1)
    if (turn?.speaker === speaker) turn.texts.push(oneLine(text))
    else turns.push({ speaker, texts: [oneLine(text)], first: at })
  }
  return turns.map(({ speaker, texts, first }) =>
    turnOf(speaker, `<p dir="auto">${escapeHtml(texts.join(' '))}${toFix?.(first) ?? ''}</p>`, {
      begun: first,
      isNamed: true,
      isOwn: toFix !== undefined
    })
  )
}

/** The name of a speaker leads to the page that corrects it, by the place of the first line. The initials are no text of the page, and no node of it. */
function turnOf(
  speaker: string,
  lines: string,
  { begun, isNamed, isOwn }: { begun: number; isNamed: boolean; isOwn: boolean }
) {
  const about = `class="voice" data-i="${escapeHtml(initialsOf(speaker))}"`
  const name = isOwn
    ? `<a ${about} href="?who=${begun}">${escapeHtml(speaker)}</a>`
    : `<span ${about}>${escapeHtml(speaker)}</span>`
  const heading = isNamed && speaker !== '' ? `<p class="speaker" dir="auto">${name}</p>` : ''
  return `<div class="turn v${voiceOf(speaker)}">${heading}${lines}</div>\n`
}
