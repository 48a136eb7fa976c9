import type { Summary } from '../../src/platform/ai/ai.ts'
import { openLanguage, splitWords } from '../../src/platform/ai/summarizer/language.ts'
import { readSentences } from '../../src/platform/ai/summarizer/sentences.ts'
import { summarizeOffline } from '../../src/platform/ai/summarizer/summarize.ts'
import type { Meeting } from '../qmsum.ts'
import { rougeOf } from './rouge.ts'

const DAY = '2026-03-02'
/** A human summary that tells a decision. */
const DECISION = /\b(?:decided?|agreed?|consensus|concluded?|determined?|settled on)\b/i
const ENGLISH = openLanguage('en')
/** Signs in a key point that it was speech and not writing. */
const NOISE = [
  /\b(\p{L}{1,4}) (?=\1\p{L}+\b)(?!\p{L}+ing\b)/iu,
  /\b(\p{L}+(?: \p{L}+){0,2})[, ]+\1\b/iu,
  /\b(?:the|an?|of|to|and|but|or|with|for|in|on|is|are|that|we|they|you|it),/i,
  /^(?:it|this|that|these|those|they|he|she|them)\b/i,
  /\b(?:agenda|slides?|chat|white ?board|microphone|powerpoint|my name is|next meeting|this meeting)\b/i,
  /^(?:simply|just) because\b|^(?:because|which|than|of)\b/i,
  /\b(?:the|an?|of|and|to|with|for|is|are|because|that|which)[.?!]$/i
]

/** The offline summary of a meeting, and how good it is without any label. */
export interface Score {
  meeting: Meeting
  summary: Summary
  domain: string
  /** F1 of ROUGE against the human summary of the whole meeting. */
  rouge: ReturnType<typeof rougeOf>
  words: number
  points: number
  noisyPoints: number
  decisions: number
  /** True if the human summary tells a decision. */
  isDecided: boolean
  /** All statements with a place in the transcript, and those of them whose lines hold most of their words. */
  statements: number
  sourced: number
  /** The words that were said, and those that are left in cleaned sentences. */
  wordsSaid: number
  wordsKept: number
}

export function scoreMeeting(meeting: Meeting): Score {
  const { segments, type } = meeting.document
  const summary = summarizeOffline({ title: '', type, segments, language: 'en', day: DAY })
  const bullets = bulletsOf(summary)
  const references = meeting.questions.flatMap(({ spans, summary: text }) => (spans.length === 0 ? [text] : []))
  const points = bulletsOf(summary, 'Key points')
  const statements = statementsOf(summary)
  return {
    meeting,
    summary,
    domain: domainOf(meeting),
    rouge: rougeOf(bullets.join('\n'), references),
    words: bullets.join(' ').split(/\s+/).length,
    points: points.length,
    noisyPoints: points.filter(isNoisy).length,
    decisions: bulletsOf(summary, 'Decisions').length,
    isDecided: references.some(text => DECISION.test(text)),
    statements: statements.length,
    sourced: statements.filter(statement => isSourced(statement, meeting)).length,
    wordsSaid: segments.reduce((sum, { text }) => sum + countWords(text), 0),
    wordsKept: readSentences(segments, ENGLISH).reduce((sum, { text }) => sum + countWords(text), 0)
  }
}

/** The bullets of a section, or of all, without names. */
export function bulletsOf({ summary }: Summary, heading?: string): string[] {
  const sections = summary.split(/^## /m).filter(part => heading === undefined || part.startsWith(`${heading}\n`))
  return sections.flatMap(part =>
    part
      .split('\n')
      .filter(line => line.startsWith('- '))
      .map(line => line.slice(2).replace(/^\*\*.*?\*\*: /, ''))
  )
}

export function isNoisy(point: string) {
  return NOISE.some(pattern => pattern.test(point))
}

interface Sourced {
  text: string
  sources: { segment: number }[]
}

function statementsOf({ outline, actionItems }: Summary): Sourced[] {
  const quoted = outline
    ? [...outline.sections.flatMap(({ points }) => points), ...outline.decisions, ...outline.questions]
    : []
  return [...quoted, ...actionItems.map(({ text, sources }) => ({ text, sources: sources ?? [] }))]
}

/** The share of a statement's words that its lines must hold: cleaning and names change some. */
const MIN_HELD = 0.65

function isSourced({ text, sources }: Sourced, { document: { segments } }: Meeting) {
  const said = sources
    .map(({ segment }) => segments[segment]?.text ?? '')
    .join(' ')
    .toLowerCase()
  const words = splitWords(text.toLowerCase()).flatMap(word => word.split(/['’-]/))
  return sources.length > 0 && words.filter(word => said.includes(word)).length >= MIN_HELD * words.length
}

function countWords(text: string) {
  return splitWords(text.replace(/\{[^{}]*\}/g, '')).length
}

/** Tells the three kinds of meetings of QMSum apart by the speakers' labels. */
export function domainOf({ document }: Meeting) {
  const speakers = [...new Set(document.segments.map(({ speaker }) => speaker))]
  if (speakers.some(name => /^(?:Marketing|Industrial Designer)$/.test(name))) return 'product design'
  return speakers.some(name => /^(?:Grad|PhD|Professor|Postdoc|Undergrad) \p{Lu}$/u.test(name))
    ? 'academic'
    : 'committee'
}
