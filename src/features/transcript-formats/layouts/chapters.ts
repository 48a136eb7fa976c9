import { leftOut } from './no-speech.ts'

const TIME = /^\s*(?:\d{1,2}:)?\d{1,2}:\d{2}\s*$/
const CHAPTER = /^\s*chapter\s+\d{1,3}\b.{0,200}$/i
const SENTENCE_END = /[.!?…]["'”’)]?\s*$/
const MAX_CHAPTER = 100
const MIN_SHARE = 0.7

/** Blanks the chapter lines of a transcript that is copied from YouTube: each time has one line of words, and a chapter one more above the next. */
export function readChapters(lines: readonly string[]): { lines: readonly string[]; warnings: string[] } {
  const filled = lines.flatMap((line, at) => (line.trim() === '' ? [] : [{ line, at }]))
  const times = filled.flatMap(({ line }, index) => (TIME.test(line) ? [index] : []))
  if (times.length < 2) return { lines, warnings: [] }
  const lengths = times.map((index, at) => (times[at + 1] ?? filled.length) - index - 1)
  const isPanel =
    lengths.filter(length => length === 1).length >= lengths.length * MIN_SHARE && lengths.every(length => length <= 2)
  const left = filled.filter(({ line }, index) => {
    const next = filled[index + 1]
    if (next === undefined || !TIME.test(next.line)) return false
    if (CHAPTER.test(line)) return true
    const isSecond = index > 1 && !TIME.test(line) && !TIME.test(filled[index - 1]?.line ?? '')
    return isPanel && isSecond && times.length > 3 && line.length <= MAX_CHAPTER && !SENTENCE_END.test(line)
  })
  if (left.length === 0) return { lines, warnings: [] }
  const blank = new Set(left.map(({ at }) => at))
  return {
    lines: lines.map((line, at) => (blank.has(at) ? '' : line)),
    warnings: left.map(({ line, at }) => leftOut(at + 1, line))
  }
}
