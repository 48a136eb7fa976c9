import { primaryLanguage } from '../../text/language-code.ts'
import type { Outline } from '../../text/outline.ts'
import type { Conversation, Summary } from '../ai.ts'
import { MergeAnswer, PartAnswer } from './answers.ts'
import type { Ask } from './chat.ts'
import { ProviderError } from './errors.ts'
import { openEvidence } from './evidence.ts'
import { type Line, linesOf, lineText, lineTokens, partsOf, tailOf } from './lines.ts'
import { renderSections, usualSections } from './markdown.ts'
import { groupByTopic, listEntries, mergeEntries, writeEntries } from './merge.ts'
import { leadingSources, type Minutes, openIn, readPart } from './minutes.ts'
import { openNames } from './names.ts'
import { toPlainLine } from './plain-text.ts'
import { type Carry, carryOn, facts, instructionsFor, NOTHING } from './prompt.ts'
import { MAX, markUnless, type Reading } from './statements.ts'
import { followTemplate } from './template.ts'

const MAX_HALVINGS = 4
/** The share of the budget for the lines before a part. */
const OVERLAP = 0.1

interface Work extends Omit<Reading, 'shown'> {
  ask: Ask
  signal: AbortSignal | undefined
}

/** A summary without the words that surround it. */
interface Found extends Pick<Summary, 'actionItems' | 'language'> {
  outline: Outline
  title: string | null
}

/**
 * Summarizes part by part, each within the budget of tokens and with what the ones before it say of names and open topics, then merges. A conversation
 * without words makes no request.
 */
export async function summarizeConversation(
  ask: Ask,
  conversation: Conversation,
  budget: number,
  signal?: AbortSignal
): Promise<Summary> {
  const { segments, people = [] } = conversation
  const work: Work = {
    ask,
    signal,
    conversation,
    findSpeaker: openNames(segments.map(({ speaker }) => speaker)),
    findPerson: openNames(people),
    evidence: openEvidence(segments)
  }
  const parts = partsOf(linesOf(segments), budget)
  if (parts.length === 0) {
    const leftOut = conversation.template?.sections.map(({ heading }) => heading)
    return { summary: '', actionItems: [], language: conversation.language, ...(leftOut && { leftOut }) }
  }
  const minutes: Minutes[] = []
  let carry = NOTHING
  for (const [at, lines] of parts.entries()) {
    const place = parts.length === 1 ? 'the whole conversation' : `part ${at + 1} of ${parts.length}`
    const before = tailOf(parts[at - 1] ?? [], budget * OVERLAP)
    const done = await summarizePart(work, { lines, before, place }, carry)
    minutes.push(...done.minutes)
    carry = done.carry
  }
  const { outline, title, actionItems, language: heard } = await mergeParts(work, minutes, budget)
  const language = conversation.language ?? heard
  const written = primaryLanguage(conversation.summaryLanguage ?? language) ?? 'en'
  const { template = null } = conversation
  const followed = template && followTemplate({ outline, items: actionItems }, template, written)
  return {
    summary: renderSections(followed?.markdown ?? usualSections(outline, written)),
    outline: followed?.outline ?? outline,
    ...(followed && { leftOut: followed.leftOut }),
    ...(title !== null && { title }),
    actionItems,
    language
  }
}

interface Part {
  lines: Line[]
  /** The last lines of the part before. */
  before: Line[]
  place: string
}

/** One set of minutes; several where the part or the answer is too long for the model. */
async function summarizePart(
  work: Work,
  part: Part,
  carry: Carry,
  halvings = 0
): Promise<{ minutes: Minutes[]; carry: Carry }> {
  const { lines, place } = part
  try {
    return await summarizeLines(work, part, carry)
  } catch (error) {
    if (!isTooLong(error) || halvings === MAX_HALVINGS) throw error
    // A little over half, because lines that divide unevenly would leave a third part.
    const half = lines.reduce((tokens, line) => tokens + lineTokens(line), 0) * 0.55
    const minutes: Minutes[] = []
    let { before } = part
    let carried = carry
    for (const smaller of partsOf(lines, half)) {
      const stretch = { lines: smaller, before, place: `a stretch of ${place}` }
      const done = await summarizePart(work, stretch, carried, halvings + 1)
      minutes.push(...done.minutes)
      carried = done.carry
      before = tailOf(smaller, half * OVERLAP)
    }
    return { minutes, carry: carried }
  }
}

async function summarizeLines(work: Work, { lines, before, place }: Part, carry: Carry) {
  const overlap =
    before.length === 0 ? [] : ['The lines before, for what they mean to the next ones:', ...before.map(lineText), '']
  const { template = null } = work.conversation
  const about = facts(work.conversation, place, carry)
  const content = [about, '', ...overlap, ...lines.map(lineText)].join('\n')
  const question = { name: 'minutes', shape: PartAnswer, instructions: instructionsFor('part', template), content }
  const answer = await work.ask(question, work.signal)
  return { minutes: [await readPart(answer, [...before, ...lines], work)], carry: carryOn(carry, answer) }
}

/** One summary of all parts. */
async function mergeParts(work: Work, parts: Minutes[], budget: number, halvings = 0): Promise<Found> {
  const [first, ...others] = parts
  const keepsTopics = (work.conversation.template ?? null) !== null
  if (first && others.length === 0) return toFound(first, keepsTopics)
  const { ask, conversation, signal } = work
  const entries = listEntries(parts)
  const content = `${facts(conversation, `all of it in ${parts.length} parts`)}\n\n${writeEntries(parts, entries, budget)}`
  const question = {
    name: 'merged_minutes',
    shape: MergeAnswer,
    instructions: instructionsFor('merge', conversation.template ?? null),
    content
  }
  try {
    const answer = await ask(question, signal)
    const { overviewSources, items, ...merged } = mergeEntries(entries, answer, keepsTopics)
    const language = parts.find(part => part.language !== null)?.language ?? null
    const text = toPlainLine(answer.overview, MAX.overview)
    const isSupported = await openIn(work, language).mentions(text)
    const leading = leadingSources({ ...merged, points: merged.sections.flatMap(({ points }) => points) })
    const sources = overviewSources.length > 0 ? overviewSources : leading
    return {
      outline: { ...merged, overview: { text, speaker: null, sources, ...markUnless(isSupported) } },
      title: toPlainLine(answer.title ?? '', MAX.name) || null,
      actionItems: items,
      language
    }
  } catch (error) {
    if (!isTooLong(error) || halvings === MAX_HALVINGS) throw error
    return await mergeParts(work, parts, budget / 2, halvings + 1)
  }
}

function toFound({ points, items, title, language, ...outline }: Minutes, keepsTopics: boolean): Found {
  return { outline: { ...outline, sections: groupByTopic(points, keepsTopics) }, title, actionItems: items, language }
}

function isTooLong(error: unknown) {
  return error instanceof ProviderError && error.reason === 'too_long'
}
