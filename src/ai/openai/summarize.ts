import type { Conversation, Summary } from '../ai.ts'
import { type Ask, Overflow } from './ask.ts'
import { itemsFrom, mergeItems } from './items.ts'
import { type Line, linesOf, lineText, lineTokens, partsOf } from './lines.ts'
import { facts, MERGE_INSTRUCTIONS, MergeAnswer, noteText, PART_INSTRUCTIONS, PartAnswer } from './prompt.ts'
import { clean, clip } from './text.ts'
import { pack, tokensOf } from './tokens.ts'

const SUMMARY_MAX = 20_000

interface Work {
  ask: Ask
  conversation: Conversation
  signal: AbortSignal | undefined
}

/** Summarizes part by part, each within the budget of tokens, then merges. A conversation without words makes no request. */
export async function summarizeConversation(ask: Ask, conversation: Conversation, budget: number, signal?: AbortSignal): Promise<Summary> {
  const work = { ask, conversation, signal }
  const parts = partsOf(linesOf(conversation.segments), budget)
  const notes: Summary[] = []
  for (const [at, part] of parts.entries()) {
    const place = parts.length === 1 ? 'the whole conversation' : `part ${at + 1} of ${parts.length}`
    notes.push(...(await readPart(work, part, place, 0)))
  }
  const { summary, actionItems, language } = await merged(work, notes, budget)
  return { summary, actionItems, language: conversation.language ?? language }
}

/** One note; several when the part or its answer proved too long for the model. */
async function readPart(work: Work, part: Line[], place: string, halvings: number): Promise<Summary[]> {
  try {
    return [await readLines(work, part, place)]
  } catch (fault) {
    if (!(fault instanceof Overflow) || halvings >= fault.halvings) throw fault
    // A little over half, or lines that do not divide evenly would leave a third part.
    const half = part.reduce((tokens, line) => tokens + lineTokens(line), 0) * 0.55
    const notes: Summary[] = []
    for (const smaller of partsOf(part, half)) notes.push(...(await readPart(work, smaller, `a stretch of ${place}`, halvings + 1)))
    return notes
  }
}

async function readLines({ ask, conversation, signal }: Work, part: Line[], place: string): Promise<Summary> {
  const answer = await ask(
    {
      name: 'minutes',
      shape: PartAnswer,
      instructions: PART_INSTRUCTIONS,
      content: `${facts(conversation, place)}\n\n${part.map(lineText).join('\n')}`
    },
    signal
  )
  return {
    summary: minutes(answer.summary),
    actionItems: itemsFrom(answer.action_items, part, conversation),
    language: languageCode(answer.language)
  }
}

/** Neighbouring notes become one until one is left. Each takes at most half the budget, so every round at least halves them. */
async function merged(work: Work, notes: Summary[], budget: number): Promise<Summary> {
  const [first, ...others] = notes
  if (!first) return { summary: '', actionItems: [], language: null }
  if (others.length === 0) return first
  const round: Summary[] = []
  for (const group of pack(notes, note => tokensOf(noteText(note, 0, budget)), budget)) round.push(await mergeGroup(work, group, budget))
  return await merged(work, round, budget)
}

async function mergeGroup(work: Work, group: Summary[], budget: number, halvings = 0): Promise<Summary> {
  const [only, ...others] = group
  if (only && others.length === 0) return only
  try {
    return await mergeNotes(work, group, budget)
  } catch (fault) {
    if (!(fault instanceof Overflow) || halvings >= fault.halvings) throw fault
    return await mergeGroup(work, group, budget / 2, halvings + 1)
  }
}

async function mergeNotes({ ask, conversation, signal }: Work, notes: Summary[], budget: number): Promise<Summary> {
  const items = notes.flatMap(({ actionItems }) => actionItems)
  let listed = 0
  const texts = notes.map((note, at) => {
    const text = `### Part ${at + 1}\n${noteText(note, listed, budget)}`
    listed += note.actionItems.length
    return text
  })
  const answer = await ask(
    {
      name: 'merged_minutes',
      shape: MergeAnswer,
      instructions: MERGE_INSTRUCTIONS,
      content: `${facts(conversation, `a stretch of it in ${notes.length} parts`)}\n\n${texts.join('\n\n')}`
    },
    signal
  )
  return {
    summary: minutes(answer.summary),
    actionItems: mergeItems(items, answer.same_items),
    language: languageCode(answer.language) ?? notes.find(({ language }) => language !== null)?.language ?? null
  }
}

/** An image would be fetched by whoever shows the summary, from an address that something said may have chosen; it is left as a link. */
function minutes(markdown: string) {
  return clip(clean(markdown).replaceAll('![', '[').trim(), SUMMARY_MAX)
}

function languageCode(language: string | null) {
  return (
    language
      ?.trim()
      .toLowerCase()
      .match(/^([a-z]{2})(?:[-_]|$)/)?.[1] ?? null
  )
}
