import { readMeetings } from '../qmsum.ts'
import { type Bound, type Figure, type Outcome, plainFigure } from '../result.ts'
import { rounded } from '../table.ts'
import { type Judged, judgeDecisions, judgeItems, type Label, type Labels, readLabels } from './labels.ts'
import { bulletsOf, type Score, scoreMeeting } from './scores.ts'
import { compareSources } from './sources.ts'

/** Summaries of other lengths are not compared. */
const WORDS = { atLeast: 180, atMost: 330 }

/**
 * Measures the offline summaries: their resemblance to what people wrote, visible noise, words kept and sources; on labelled meetings also items and
 * decisions. The figures are those of the meetings on which nothing was trained.
 */
export function measureSummaries(folder: string, labelFolder: string | undefined): Outcome {
  const scores = readMeetings(folder).map(scoreMeeting)
  const parts = Map.groupBy(scores, ({ meeting }) => meeting.part)
  const heldOut = scores.filter(({ meeting }) => meeting.part !== 'train')
  const rows = [...parts].flatMap(([part, ofPart]) => [
    toRow(part, ofPart),
    ...[...Map.groupBy(ofPart, ({ domain }) => domain)].map(([domain, of]) => toRow(`${part}: ${domain}`, of))
  ])
  const labels = labelFolder === undefined ? undefined : readLabels(labelFolder)
  const sources = [...parts].map(([part, ofPart]) => compareSources(part, ofPart))
  const figures = [
    ...toFigures(heldOut.length > 0 ? heldOut : scores),
    ...sources.flatMap(sourceFigures),
    ...(labels ? judgeAll(scores, labels) : [])
  ]
  return {
    tables: [
      rows,
      sources,
      figures.map(({ what, measured, target, met }) => ({ what, measured, target, met: met ? 'yes' : 'no' }))
    ],
    figures
  }
}

/** Means and shares of a number of meetings. */
function average(scores: readonly Score[]) {
  const sum = (figureOf: (score: Score) => number) => scores.reduce((all, score) => all + figureOf(score), 0)
  const mean = (figureOf: (score: Score) => number) => sum(figureOf) / scores.length
  const percent = (part: number, all: number) => rounded((100 * part) / (all || 1), 1)
  const decided = scores.filter(({ isDecided }) => isDecided)
  return {
    rouge1: rounded(
      mean(({ rouge }) => rouge.one),
      4
    ),
    rouge2: rounded(
      mean(({ rouge }) => rouge.two),
      4
    ),
    rougeSum: rounded(
      mean(({ rouge }) => rouge.sum),
      4
    ),
    words: rounded(mean(({ words }) => words)),
    noisy: percent(
      sum(({ noisyPoints }) => noisyPoints),
      sum(({ points }) => points)
    ),
    decided: percent(decided.filter(({ decisions }) => decisions > 0).length, decided.length),
    decisions: rounded(
      mean(({ decisions }) => decisions),
      2
    ),
    items: rounded(
      mean(({ summary }) => summary.actionItems.length),
      2
    ),
    kept: percent(
      sum(({ wordsKept }) => wordsKept),
      sum(({ wordsSaid }) => wordsSaid)
    ),
    sourced: percent(
      sum(({ sourced }) => sourced),
      sum(({ statements }) => statements)
    )
  }
}

function toRow(name: string, scores: readonly Score[]) {
  const { rouge1, rouge2, rougeSum, words, noisy, decided, decisions, items, kept, sourced } = average(scores)
  return {
    meetings: name,
    count: scores.length,
    'ROUGE-1': rouge1,
    'ROUGE-2': rouge2,
    'ROUGE-Lsum': rougeSum,
    words,
    'noisy points %': noisy,
    'with decisions %': decided,
    decisions,
    items,
    'words kept %': kept,
    'with sources %': sourced
  }
}

function toFigures(scores: readonly Score[]): Figure[] {
  const { rouge1, rouge2, words, noisy, decided, kept, sourced } = average(scores)
  return [
    figure('ROUGE-1', rouge1, { atLeast: 0.285 }),
    figure('ROUGE-2', rouge2, { atLeast: 0.058 }),
    figure('words', words, WORDS),
    figure('noisy key points %', noisy, { atMost: 8 }),
    figure('with decisions, of those where people tell one, %', decided, { atLeast: 45 }),
    // Of captions: QMSum has transcribers' marks and stutters, whose words nobody misses.
    figure('words kept by cleaning %', kept, {}),
    figure('statements with their source %', sourced, { atLeast: 100 })
  ]
}

function sourceFigures(row: ReturnType<typeof compareSources>) {
  return [
    figure(`statements whose lines exist, ${row.meetings}, %`, row['with lines that exist %'], { atLeast: 100 }),
    figure(`quoted lines in a span of a question, ${row.meetings}, %`, row['of them in a span %'], { atLeast: 70 })
  ]
}

function judgeAll(scores: readonly Score[], { items, decisions }: Labels): Figure[] {
  const judgedItems: Judged[] = []
  const judgedDecisions: Judged[] = []
  const withRight: boolean[] = []
  for (const { meeting, summary } of scores) {
    const [ofItems, ofDecisions] = [items, decisions].map(labels => labels.filter(isOf(meeting.document.external_id)))
    if (!ofItems?.length && !ofDecisions?.length) continue
    judgedItems.push(...judgeItems(summary, meeting, ofItems ?? []))
    const judged = judgeDecisions(bulletsOf(summary, 'Decisions'), meeting, ofDecisions ?? [])
    judgedDecisions.push(...judged)
    if (ofDecisions?.some(({ kind }) => kind === 'decision'))
      withRight.push(judged.some(({ verdict }) => verdict === 'right'))
  }
  const found = new Set(judgedItems.map(({ label }) => label))
  const recall = (kind: Label['kind']) => {
    const ofKind = items.filter(label => label.kind === kind)
    return ofKind.filter(label => found.has(label)).length / (ofKind.length || 1)
  }
  return [
    figure('items: precision', precisionOf(judgedItems), { atLeast: 0.7 }),
    figure('items: recall of commitments', recall('commitment'), { atLeast: 0.4 }),
    figure('items: recall of requests', recall('request'), { atLeast: 0 }),
    figure('items: done inside the call', judgedItems.filter(({ label }) => label?.kind === 'in-call').length, {
      atMost: 0
    }),
    figure('decisions: precision', precisionOf(judgedDecisions), { atLeast: 0.65 }),
    figure('decisions: meetings with a right one', withRight.filter(Boolean).length / (withRight.length || 1), {
      atLeast: 0.45
    })
  ]
}

/** Labels name a meeting by its part and line, as in val:0. */
function isOf(id: string) {
  return ({ meeting }: Label) => `qmsum-${meeting.replace(':', '-')}` === id
}

function precisionOf(judged: readonly Judged[]) {
  const right = judged.filter(({ verdict }) => verdict === 'right').length
  return right / (right + judged.filter(({ verdict }) => verdict === 'wrong').length || 1)
}

function figure(what: string, value: number, bound: Bound) {
  const shown = rounded(value, 4)
  return plainFigure(`summaries: ${what}`, String(shown), shown, bound)
}
