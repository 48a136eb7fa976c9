import { storable } from '../../../contract/import-document.ts'
import { primaryLanguage } from '../../text/language-code.ts'
import type { Conversation, Summary } from '../ai.ts'
import type { Ask } from './chat.ts'
import { ProviderError } from './errors.ts'
import { itemsFrom, mergeItems } from './items.ts'
import { type Line, linesOf, lineText, lineTokens, partsOf } from './lines.ts'
import { facts, MERGE_INSTRUCTIONS, MergeAnswer, PART_INSTRUCTIONS, PartAnswer, partsText } from './prompt.ts'
import { clip } from './text.ts'

const MAX_SUMMARY = 20_000
const MAX_HALVINGS = 4

interface Work {
  ask: Ask
  conversation: Conversation
  signal: AbortSignal | undefined
}

/** Summarizes part by part, each within the budget of tokens, then merges. A conversation without words makes no request. */
export async function summarizeConversation(
  ask: Ask,
  conversation: Conversation,
  budget: number,
  signal?: AbortSignal
): Promise<Summary> {
  const work = { ask, conversation, signal }
  const parts = partsOf(linesOf(conversation.segments), budget)
  const summaries: Summary[] = []
  for (const [at, part] of parts.entries()) {
    const place = parts.length === 1 ? 'the whole conversation' : `part ${at + 1} of ${parts.length}`
    summaries.push(...(await summarizePart(work, part, place)))
  }
  const merged = await mergeParts(work, summaries, budget)
  return { ...merged, language: conversation.language ?? merged.language }
}

/** One summary; several where the part or the answer is too long for the model. */
async function summarizePart(work: Work, part: Line[], place: string, halvings = 0): Promise<Summary[]> {
  try {
    return [await summarizeLines(work, part, place)]
  } catch (error) {
    if (!isTooLong(error) || halvings === MAX_HALVINGS) throw error
    // A little over half, because lines that divide unevenly would leave a third part.
    const half = part.reduce((tokens, line) => tokens + lineTokens(line), 0) * 0.55
    const summaries: Summary[] = []
    for (const smaller of partsOf(part, half)) {
      summaries.push(...(await summarizePart(work, smaller, `a stretch of ${place}`, halvings + 1)))
    }
    return summaries
  }
}

async function summarizeLines({ ask, conversation, signal }: Work, part: Line[], place: string): Promise<Summary> {
  const content = `${facts(conversation, place)}\n\n${part.map(lineText).join('\n')}`
  const answer = await ask({ name: 'minutes', shape: PartAnswer, instructions: PART_INSTRUCTIONS, content }, signal)
  return {
    summary: toMarkdown(answer.summary),
    actionItems: itemsFrom(answer.action_items, part, conversation),
    language: primaryLanguage(answer.language)
  }
}

/** One summary of all parts, each of which gets an equal share of the budget. */
async function mergeParts(work: Work, parts: Summary[], budget: number, halvings = 0): Promise<Summary> {
  const [first, ...others] = parts
  if (!first) return { summary: '', actionItems: [], language: null }
  if (others.length === 0) return first
  const { ask, conversation, signal } = work
  const items = parts.flatMap(({ actionItems }) => actionItems)
  const content = `${facts(conversation, `all of it in ${parts.length} parts`)}\n\n${partsText(parts, budget / parts.length)}`
  try {
    const answer = await ask(
      { name: 'merged_minutes', shape: MergeAnswer, instructions: MERGE_INSTRUCTIONS, content },
      signal
    )
    return {
      summary: toMarkdown(answer.summary),
      actionItems: mergeItems(items, answer.same_items),
      language: primaryLanguage(answer.language) ?? parts.find(({ language }) => language !== null)?.language ?? null
    }
  } catch (error) {
    if (!isTooLong(error) || halvings === MAX_HALVINGS) throw error
    return await mergeParts(work, parts, budget / 2, halvings + 1)
  }
}

function isTooLong(error: unknown) {
  return error instanceof ProviderError && error.reason === 'too_long'
}

/** Removes images: a page would fetch them from an address that a speaker may have chosen. */
function toMarkdown(summary: string) {
  return clip(storable(summary).replaceAll('![', '[').trim(), MAX_SUMMARY)
}
