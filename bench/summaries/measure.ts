import type { Summary } from '../../src/platform/ai/ai.ts'
import { openLanguage, splitWords } from '../../src/platform/ai/summarizer/language.ts'
import { readSentences } from '../../src/platform/ai/summarizer/sentences.ts'
import { summarizeOffline } from '../../src/platform/ai/summarizer/summarize.ts'
import { type Meeting, readMeetings } from '../qmsum.ts'
import { type Outcome, plainFigure } from '../result.ts'
import { rounded } from '../table.ts'
import { type Judged, judgeDecisions, judgeItems, type Labels, readLabels } from './labels.ts'
import { rougeOf } from './rouge.ts'
import { compareSources } from './sources.ts'

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

/** Measures the offline summaries: their resemblance to what people wrote, visible noise, and, on labelled meetings, items and decisions. */
export function measureSummaries(folder: string, labelFolder: string | undefined): Outcome {
  const meetings = readMeetings(folder)
  const made = meetings.map(meeting => ({ meeting, summary: summarize(meeting) }))
  const labels = labelFolder === undefined ? undefined : readLabels(labelFolder)
  const rows = [...Map.groupBy(made, ({ meeting }) => meeting.part)].map(([part, ofPart]) => toRow(part, ofPart))
  const domains = [...Map.groupBy(made, ({ meeting }) => domainOf(meeting))].map(([domain, of]) => toRow(domain, of))
  const judged = labels && judgeAll(made, labels)
  const sources = [...Map.groupBy(made, ({ meeting }) => meeting.part)].map(([part, of]) => compareSources(part, of))
  return {
    tables: [[...rows, ...domains], sources, ...(judged ? [judged.map(({ figure: _, ...row }) => row)] : [])],
    figures: [...sources.flatMap(sourceFigures), ...(judged ?? []).map(({ figure }) => figure)]
  }
}

function sourceFigures(row: ReturnType<typeof compareSources>) {
  const figure = (what: string, value: number, atLeast: number) =>
    plainFigure(`summaries: ${what}, ${row.meetings}`, `${value} %`, value, { atLeast, unit: ' %' })
  return [
    figure('statements whose lines exist', row['with lines that exist %'], 100),
    figure('quoted lines in a span of a question', row['of them in a span %'], 70)
  ]
}

interface Made {
  meeting: Meeting
  summary: Summary
}

export function summarize({ document }: Meeting): Summary {
  const { segments, type } = document
  return summarizeOffline({ title: '', type, segments, language: 'en', day: DAY })
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

function toRow(name: string, made: readonly Made[]) {
  const scores = made.map(({ meeting, summary }) => {
    const points = bulletsOf(summary)
    const overall = meeting.questions.filter(({ spans }) => spans.length === 0).map(({ summary: text }) => text)
    const key = bulletsOf(summary, 'Key points')
    const decisions = bulletsOf(summary, 'Decisions')
    return {
      ...rougeOf(points.join('\n'), overall),
      words: points.join(' ').split(/\s+/).length,
      points: key.length,
      noisy: key.filter(isNoisy).length,
      isDecided: overall.some(text => DECISION.test(text)),
      decisions: decisions.length,
      items: summary.actionItems.length
    }
  })
  const mean = (figureOf: (score: (typeof scores)[number]) => number) =>
    scores.reduce((sum, score) => sum + figureOf(score), 0) / scores.length
  const decided = scores.filter(({ isDecided }) => isDecided)
  return {
    meetings: name,
    count: scores.length,
    'ROUGE-1': rounded(
      mean(({ one }) => one),
      4
    ),
    'ROUGE-2': rounded(
      mean(({ two }) => two),
      4
    ),
    'ROUGE-Lsum': rounded(
      mean(({ sum }) => sum),
      4
    ),
    words: rounded(mean(({ words }) => words)),
    'noisy points %': rounded((100 * mean(({ noisy }) => noisy)) / mean(({ points }) => points), 1),
    'with decisions %': rounded(
      (100 * decided.filter(({ decisions }) => decisions > 0).length) / (decided.length || 1)
    ),
    decisions: rounded(
      mean(({ decisions }) => decisions),
      2
    ),
    items: rounded(
      mean(({ items }) => items),
      2
    ),
    'words kept %': rounded(100 * keptShare(made.map(({ meeting }) => meeting)), 1)
  }
}

export function isNoisy(point: string) {
  return NOISE.some(pattern => pattern.test(point))
}

function keptShare(meetings: readonly Meeting[]) {
  let [all, kept] = [0, 0]
  for (const { document } of meetings) {
    all += document.segments.reduce((sum, { text }) => sum + wordsIn(text), 0)
    kept += readSentences(document.segments, ENGLISH).reduce((sum, { text }) => sum + wordsIn(text), 0)
  }
  return kept / all
}

function wordsIn(text: string) {
  return splitWords(text.replace(/\{[^{}]*\}/g, '')).length
}

function domainOf({ document }: Meeting) {
  const speakers = [...new Set(document.segments.map(({ speaker }) => speaker))]
  if (speakers.some(name => /^(?:Marketing|Industrial Designer)$/.test(name))) return 'product design'
  return speakers.some(name => /^(?:Grad|PhD|Professor|Postdoc|Undergrad)\b/.test(name)) ? 'academic' : 'committee'
}

function judgeAll(made: readonly Made[], { items, decisions }: Labels) {
  const of = (meeting: Meeting, labels: Labels['items']) =>
    labels.filter(label => label.meeting.replace(':', '-') === meeting.document.external_id.replace('qmsum-', ''))
  const labelled = made.filter(({ meeting }) => of(meeting, items).length > 0 || of(meeting, decisions).length > 0)
  const judgedItems = labelled.flatMap(({ meeting, summary }) => judgeItems(summary, meeting, of(meeting, items)))
  const judgedDecisions = labelled.flatMap(({ meeting, summary }) =>
    judgeDecisions(bulletsOf(summary, 'Decisions'), meeting, of(meeting, decisions))
  )
  const found = new Set(judgedItems.map(({ label }) => label))
  const commitments = items.filter(({ kind }) => kind === 'commitment')
  const requests = items.filter(({ kind }) => kind === 'request')
  const inCall = judgedItems.filter(({ label }) => label?.kind === 'in-call').length
  return [
    row('items: precision', precisionOf(judgedItems), 0.7),
    row('items: recall of commitments', commitments.filter(label => found.has(label)).length / commitments.length, 0.4),
    row('items: recall of requests', requests.filter(label => found.has(label)).length / requests.length, 0),
    row('items: share done inside the call', inCall / (judgedItems.length || 1), undefined, 0),
    row('decisions: precision', precisionOf(judgedDecisions), 0.65)
  ]
}

function precisionOf(judged: readonly Judged[]) {
  const right = judged.filter(({ verdict }) => verdict === 'right').length
  return right / (right + judged.filter(({ verdict }) => verdict === 'wrong').length || 1)
}

function row(what: string, value: number, atLeast?: number, atMost?: number) {
  const shown = rounded(value, 3)
  const bound = { ...(atLeast === undefined ? {} : { atLeast }), ...(atMost === undefined ? {} : { atMost }) }
  return { what, value: shown, figure: plainFigure(`summaries: ${what}`, String(shown), shown, bound) }
}
