import type { Outline, Statement } from '../../text/outline.ts'
import type { ExtractedItem } from '../ai.ts'
import type { MergeAnswer } from './answers.ts'
import { completeItem, withoutRepeats } from './items.ts'
import type { Minutes } from './minutes.ts'
import { toPlainLine } from './plain-text.ts'
import { joinSources, keepDifferent, MAX, type Point, wordsKey } from './statements.ts'
import { toLine } from './text.ts'
import { cutToTokens, tokensOf } from './tokens.ts'

/** A statement of a part. Its number is its place among those of all parts. */
type Entry =
  | { kind: 'decision' | 'question'; part: number; value: Statement }
  | { kind: 'item'; part: number; value: ExtractedItem }
  | { kind: 'point'; part: number; value: Point }

/** In the order in which they get room: points are remarks beside what was decided and promised. */
const KINDS = ['decision', 'item', 'question', 'point'] as const
const TITLES = { decision: 'Decisions', item: 'Action items', question: 'Open questions', point: 'Points' }
const MAX_SHOWN = 300
const MAX_SECTIONS = 12
/** The share of the budget for the overviews of all parts. */
const OVERVIEWS = 0.25

export function listEntries(parts: readonly Minutes[]): Entry[] {
  return parts.flatMap(({ decisions, items, questions, points }, part) => [
    ...decisions.map(value => ({ kind: 'decision' as const, part, value })),
    ...items.map(value => ({ kind: 'item' as const, part, value })),
    ...questions.map(value => ({ kind: 'question' as const, part, value })),
    ...points.map(value => ({ kind: 'point' as const, part, value }))
  ])
}

/** The minutes of all parts for the merge within the budget of tokens. Decisions and action items have room before points. */
export function writeEntries(parts: readonly Minutes[], entries: readonly Entry[], budget: number): string {
  const overviewTokens = (budget * OVERVIEWS) / parts.length
  const overviews = parts.map(({ overview }) => cutToTokens(overview.text, overviewTokens))
  let left = budget - overviews.reduce((sum, text) => sum + tokensOf(text), 0)
  const lines = new Map<number, string>()
  for (const number of byImportance(entries)) {
    const entry = entries[number]
    const line = entry ? `(${number}) ${describe(entry)}` : ''
    left -= tokensOf(line) + 1
    if (left < 0) break
    lines.set(number, line)
  }
  const texts = parts.map((_, part) => {
    const lists = KINDS.flatMap(kind => {
      const own = entries.flatMap((entry, number) =>
        entry.part === part && entry.kind === kind ? (lines.get(number) ?? []) : []
      )
      return own.length > 0 ? [`${TITLES[kind]}:\n${own.join('\n')}`] : []
    })
    return [`### Part ${part + 1}\n${overviews[part]}`, ...lists].join('\n\n')
  })
  return texts.join('\n\n')
}

/** The numbers by kind, and in it the first ones of all parts before the second ones. */
function byImportance(entries: readonly Entry[]): number[] {
  const places = new Map<string, number>()
  const ranked = entries.map(({ kind, part }, number) => {
    const place = places.get(`${kind} ${part}`) ?? 0
    places.set(`${kind} ${part}`, place + 1)
    return { number, kind: KINDS.indexOf(kind), place }
  })
  return ranked
    .sort((one, other) => one.kind - other.kind || one.place - other.place || one.number - other.number)
    .map(({ number }) => number)
}

function describe(entry: Entry) {
  const who = entry.kind === 'item' ? entry.value.assignee : entry.value.speaker
  return `${toLine(entry.value.text, MAX_SHOWN)}${who === null ? '' : ` [${who}]`}`
}

/** The findings of all parts as one, by the answer of the model, which groups and selects them and does not write them again. */
export function mergeEntries(given: readonly Entry[], answer: MergeAnswer, keepsTopics: boolean) {
  const entries = joinSame(given, answer.same ?? [])
  const { decisions, items, questions, points } = sortOut(entries, new Set(answer.answered))
  const sections = selectSections(entries, answer.sections ?? [])
  return {
    sections: sections.length > 0 ? sections : groupByTopic(keepDifferent(points, MAX.points), keepsTopics),
    decisions: keepDifferent(decisions, MAX.decisions),
    questions: keepDifferent(questions, MAX.questions),
    items: withoutRepeats(items),
    overviewSources: joinSources((answer.overview_of ?? []).flatMap(number => given[number]?.value.sources ?? []))
  }
}

/** The entries by kind, without the questions with these numbers. */
function sortOut(entries: readonly (Entry | undefined)[], answered: ReadonlySet<number>) {
  const found: Pick<Minutes, 'decisions' | 'items' | 'questions' | 'points'> = {
    decisions: [],
    items: [],
    questions: [],
    points: []
  }
  for (const [number, entry] of entries.entries()) {
    if (entry?.kind === 'decision') found.decisions.push(entry.value)
    else if (entry?.kind === 'item') found.items.push(entry.value)
    else if (entry?.kind === 'point') found.points.push(entry.value)
    else if (entry && !answered.has(number)) found.questions.push(entry.value)
  }
  return found
}

/** Joins the entries of each group that are of the kind of its first one, whose words stay, in the place of the earliest. */
function joinSame(entries: readonly Entry[], groups: readonly number[][]): (Entry | undefined)[] {
  const joined: (Entry | undefined)[] = [...entries]
  for (const group of groups) {
    const [first, ...others] = [...new Set(group)].filter(number => joined[number])
    const start = joined[first ?? -1]
    if (first === undefined || !start) continue
    let both: Entry = start
    const places = [first]
    for (const other of others) {
      const next = joined[other]
      const more: Entry | undefined = next && join(both, next)
      if (!more) continue
      both = more
      places.push(other)
    }
    for (const place of places) joined[place] = undefined
    joined[Math.min(...places)] = both
  }
  return joined
}

function join(one: Entry, two: Entry): Entry | undefined {
  if (one.kind === 'item')
    return two.kind === 'item' ? { ...one, value: completeItem(one.value, two.value) } : undefined
  const sources = joinSources([...one.value.sources, ...(two.value.sources ?? [])])
  if (one.kind === 'point') return two.kind === 'point' ? { ...one, value: { ...one.value, sources } } : undefined
  return two.kind === one.kind ? { ...one, value: { ...one.value, sources } } : undefined
}

/** The points that the model selected, each once. */
function selectSections(
  entries: readonly (Entry | undefined)[],
  answered: NonNullable<MergeAnswer['sections']>
): Outline['sections'] {
  const used = new Set<number>()
  const sections = answered.slice(0, MAX_SECTIONS).map(({ heading, points }) => {
    const numbers = [...new Set(points)].filter(number => !used.has(number) && used.size < MAX.points)
    const selected = numbers.flatMap(number => {
      const entry = entries[number]
      if (entry?.kind !== 'point' || used.size >= MAX.points) return []
      used.add(number)
      return [toStatement(entry.value)]
    })
    return { heading: toPlainLine(heading ?? '', MAX.name) || null, points: keepDifferent(selected, MAX.points) }
  })
  return sections.filter(({ points }) => points.length > 0)
}

/** Points by their topics, in the order in which these come up. A single topic needs no heading, unless it names a section of a template. */
export function groupByTopic(points: readonly Point[], keepsTopics: boolean): Outline['sections'] {
  const byTopic = Map.groupBy(points, ({ topic }) => wordsKey(topic ?? ''))
  return [...byTopic.values()].map(own => ({
    heading: byTopic.size > 1 || keepsTopics ? (own[0]?.topic ?? null) : null,
    points: own.map(toStatement)
  }))
}

function toStatement({ topic: _, ...statement }: Point): Statement {
  return statement
}
