import type { ParsedTranscript, Turn } from '../transcript.ts'
import { completeTranscript } from '../turns.ts'
import { leftOut } from './no-speech.ts'

const NUMBER = /^\s{0,6}(\d{1,2})(?:\s|$)/
const PAGE = /^\s*(?:page\s+)?\d{1,5}(?:\s+of\s+\d{1,5})?\s*$/i
const QUESTION = /^\s*Q(?:[.:]|\s{2,})\s*(\S.*)$/
const ANSWER = /^\s*A(?:[.:]|\s{2,})\s*(\S.*)$/
const SPEAKER =
  /^\s*((?:THE\s\p{Lu}+|(?:MR|MS|MRS|DR|MISS|JUDGE)\.?\s[\p{Lu}' -]{2,40}|[\p{Lu}][\p{Lu}.' -]{2,40})):\s+(\S.*)$/u
const BY = /^\s*(?:\p{Lu}[\p{Lu} -]*\s)?BY\s((?:MR|MS|MRS|DR|MISS)\.?\s[\p{Lu}' -]{2,40}):?\s*$/u
const HEADING = /^\s*[\p{Lu}\s-]*(?:EXAMINATION|PROCEEDINGS|STIPULATIONS?)[\p{Lu}\s-]*$/u
const WITNESS = /^\s*(\p{Lu}[\p{Lu}.' -]{2,60}),\s*$/u
const SWORN = /\b(?:duly\s+sworn|sworn|affirmed)\b/i
const REMARK = /^\s*\(.{0,200}\)\s*$/
const MIN_NUMBERED = 0.6
const MAX_LINE = 1_000

/** Reads a deposition: questions and answers, mostly with numbers of lines and pages. Returns null for other texts. */
export function readDeposition(all: readonly string[]): ParsedTranscript | null {
  if (
    all.filter(line => QUESTION.test(bare(line))).length < 2 ||
    all.filter(line => ANSWER.test(bare(line))).length < 2
  )
    return null
  const lines = hasNumbers(all) ? all.map(withoutNumber) : [...all]
  const turns: Turn[] = []
  const warnings: string[] = []
  let questioner = 'Q'
  let witness = 'A'
  for (const [at, line] of lines.entries()) {
    const text = line.slice(0, MAX_LINE)
    if (line.trim() === '' || PAGE.test(text)) continue
    const by = BY.exec(text)?.[1]
    const named = WITNESS.exec(text)?.[1]
    const turn = turnIn(text, questioner, witness)
    const open = turns.at(-1)
    if (by !== undefined) questioner = by.trim()
    else if (named !== undefined && lines.slice(at + 1, at + 4).some(next => SWORN.test(next))) witness = named.trim()
    else if (turn) turns.push({ ...turn, text: turn.text + line.slice(MAX_LINE) })
    else if (!open || HEADING.test(text) || REMARK.test(text)) warnings.push(leftOut(at + 1, line))
    else open.text += ` ${line.trim()}`
  }
  const spoken = turns.map(turn => ({ ...turn, text: turn.text.replace(/\s+/g, ' ') }))
  return completeTranscript({ turns: spoken, warnings })
}

function bare(line: string) {
  return line.slice(0, MAX_LINE).replace(NUMBER, '')
}

function turnIn(line: string, questioner: string, witness: string): Turn | null {
  const question = QUESTION.exec(line)?.[1]
  const answer = ANSWER.exec(line)?.[1]
  const [, name, said] = SPEAKER.exec(line) ?? []
  const text = question ?? answer ?? said
  if (text === undefined) return null
  const speaker = question !== undefined ? questioner : answer !== undefined ? witness : (name ?? null)
  return { speaker, start: null, end: null, text }
}

/** The numbers of the lines of a page count from one. */
function hasNumbers(lines: readonly string[]) {
  const filled = lines.filter(line => line.trim() !== '')
  const numbers = filled.map(line => Number(NUMBER.exec(line)?.[1] ?? Number.NaN))
  const next = numbers.filter((number, at) => number === 1 || number === (numbers[at - 1] ?? 0) + 1).length
  return next >= filled.length * MIN_NUMBERED
}

function withoutNumber(line: string) {
  return line.replace(NUMBER, match => ' '.repeat(match.length))
}
