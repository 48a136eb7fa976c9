import { primaryLanguage } from '../../text/language-code.ts'
import { type Source, type Statement, toSources } from '../../text/outline.ts'
import type { ExtractedItem } from '../ai.ts'
import { nameOf } from '../summarizer/wording.ts'
import type { PartAnswer } from './answers.ts'
import type { Evidence } from './evidence.ts'
import { readItems } from './items.ts'
import type { Line } from './lines.ts'
import { toPlainLine } from './plain-text.ts'
import { citeLines, joinSources, keepDifferent, MAX, markUnless, type Point, type Reading } from './statements.ts'

/** The findings of a model in a stretch of a conversation. */
export interface Minutes {
  points: Point[]
  decisions: Statement[]
  questions: Statement[]
  items: ExtractedItem[]
  overview: Statement
  title: string | null
  language: string | null
}

/** Reads an answer within the bounds. A statement with a line, speaker, name or number that nobody said is marked. */
export async function readPart(answer: PartAnswer, part: Line[], tools: Omit<Reading, 'shown'>): Promise<Minutes> {
  const reading = { ...tools, shown: new Set(part.map(({ index }) => index)) }
  const language = primaryLanguage(answer.language)
  const evidence = openIn(reading, language)
  const read = (said: Said) => readStatement(said, reading, evidence)
  const { items, suggestions } = readItems(answer.action_items ?? [], reading, evidence)
  const decided = (answer.decisions ?? []).slice(0, 2 * MAX.decisions)
  const proposals = decided.filter(isProposed).map(said => ({ ...read(said), topic: null }))
  const points = (answer.points ?? []).slice(0, 2 * MAX.points).map(said => ({
    ...read(said),
    topic: toPlainLine(said.topic ?? '', MAX.name) || null
  }))
  const found = {
    points: keepDifferent([...points, ...proposals, ...suggestions], MAX.points),
    decisions: keepDifferent(decided.filter(said => !isProposed(said)).map(read), MAX.decisions),
    questions: keepDifferent((answer.questions ?? []).slice(0, 2 * MAX.questions).map(read), MAX.questions),
    items
  }
  const cited = citeLines(answer.overview_lines, reading.shown)
  const text = toPlainLine(answer.overview, MAX.overview)
  const isSupported = !cited.isInvented && (await evidence.mentions(text))
  const sources = toSources(cited.lines, reading.conversation.segments)
  return {
    ...found,
    overview: {
      text,
      speaker: null,
      sources: sources.length > 0 ? sources : leadingSources(found),
      ...markUnless(isSupported)
    },
    title: toPlainLine(answer.title ?? '', MAX.name) || null,
    language
  }
}

/** The check of statements of a conversation in the language that the model heard, unless the source names it. */
export function openIn({ conversation, evidence }: Pick<Reading, 'conversation' | 'evidence'>, heard: string | null) {
  const spoken = primaryLanguage(conversation.language) ?? heard
  return evidence({ spoken, written: conversation.summaryLanguage ?? spoken })
}

interface Said {
  lines: number[] | null
  speaker: string | null
  text: string
}

function readStatement(
  { lines: given, speaker: named, text: written }: Said,
  { conversation, shown, findSpeaker }: Reading,
  evidence: Evidence
): Statement {
  const text = toPlainLine(written, MAX.text)
  const { lines, isInvented } = citeLines(given, shown)
  const speaker = findSpeaker(named) ?? null
  const isUnknown = speaker === null && toPlainLine(named ?? '', MAX.name) !== ''
  const isSupported = !isInvented && !isUnknown && evidence.supports(text, lines, speaker)
  return {
    text,
    speaker: speaker === null ? null : nameOf(speaker) || null,
    sources: toSources(lines, conversation.segments),
    ...markUnless(isSupported)
  }
}

function isProposed({ status }: { status: string | null }) {
  return /propos|suggest/i.test(status ?? '')
}

/** An overview rests on what was decided, and on the points that come first. */
export function leadingSources({ decisions, points }: Record<'decisions' | 'points', Statement[]>): Source[] {
  const first = [...decisions, ...points].flatMap(({ sources: [source] }) => source ?? [])
  return joinSources(first.slice(0, MAX.lines))
}
