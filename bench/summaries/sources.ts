import type { Summary } from '../../src/platform/ai/ai.ts'
import { openLanguage } from '../../src/platform/ai/summarizer/language.ts'
import type { Statement } from '../../src/platform/text/outline.ts'
import type { Meeting, Question } from '../qmsum.ts'
import { rounded } from '../table.ts'
import { stemsOf } from './rouge.ts'

interface Made {
  meeting: Meeting
  summary: Summary
}

const { stopWords } = openLanguage('en')
/** A statement answers the question with whose words and answer it shares most, and so much of its content at least. */
const MIN_SHARE = 0.5
const MIN_WORDS = 3

/**
 * Compares the lines that statements of summaries come from with the spans that people marked as the answers to their questions: all lines with
 * the spans of all questions, and those of a statement that answers a question with its spans.
 */
export function compareSources(part: string, made: readonly Made[]) {
  const counts = { lines: 0, inAny: 0, said: 0, saidInAny: 0, statements: 0, resolved: 0 }
  const answers = { statements: 0, lines: 0, inSpans: 0 }
  for (const { meeting, summary } of made) {
    const asked = meeting.questions.filter(({ spans }) => spans.length > 0)
    const { segments } = meeting.document
    const isIn = (line: number, questions: readonly Question[]) => {
      const { start = 0, end = 0 } = segments[line] ?? {}
      const middle = (start + end) / 2
      return questions.some(({ spans }) => spans.some(({ from, to }) => from <= middle && middle <= to))
    }
    for (const line of segments.keys()) {
      counts.said++
      if (isIn(line, asked)) counts.saidInAny++
    }
    for (const { text, lines } of statementsOf(summary)) {
      counts.statements++
      if (lines.length > 0 && lines.every(line => segments[line] !== undefined)) counts.resolved++
      counts.lines += lines.length
      counts.inAny += lines.filter(line => isIn(line, asked)).length
      const answered = findQuestion(text, asked)
      if (!answered) continue
      answers.statements++
      answers.lines += lines.length
      answers.inSpans += lines.filter(line => isIn(line, [answered])).length
    }
  }
  return {
    meetings: part,
    statements: counts.statements,
    'with lines that exist %': percent(counts.resolved, counts.statements),
    'quoted lines': counts.lines,
    'of them in a span %': percent(counts.inAny, counts.lines),
    'of all lines in a span %': percent(counts.saidInAny, counts.said),
    'answers of a question': answers.statements,
    'their lines': answers.lines,
    'in its spans %': percent(answers.inSpans, answers.lines)
  }
}

function percent(some: number, all: number) {
  return rounded((100 * some) / (all || 1), 1)
}

function statementsOf({ outline, actionItems }: Summary) {
  const { overview, sections = [], decisions = [], questions = [] } = outline ?? {}
  const said: Pick<Statement, 'text' | 'sources'>[] = [
    ...(overview ? [overview] : []),
    ...sections.flatMap(({ points }) => points),
    ...decisions,
    ...questions,
    ...actionItems.map(({ text, sources = [] }) => ({ text, sources }))
  ]
  return said.map(({ text, sources }) => ({ text, lines: sources.map(({ segment }) => segment) }))
}

function findQuestion(text: string, asked: readonly Question[]) {
  const words = contentOf(text)
  let best: { question: Question; share: number } | undefined
  for (const question of asked) {
    const share = words.intersection(contentOf(`${question.question} ${question.summary}`)).size / (words.size || 1)
    if (share > (best?.share ?? 0)) best = { question, share }
  }
  return best && words.size >= MIN_WORDS && best.share >= MIN_SHARE ? best.question : undefined
}

function contentOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return new Set(words.filter(word => word.length > 1 && !stopWords.has(word)).flatMap(stemsOf))
}
