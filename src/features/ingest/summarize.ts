import { isBlank } from '../../contract/text.ts'
import { type Ai, AiError } from '../../platform/ai/ai.ts'
import { localDay } from '../../platform/text/calendar-day.ts'
import type { ChosenTemplate } from '../../platform/text/template.ts'
import { findTimeZone } from '../library/queries.ts'
import { selectPeopleNames } from '../people/queries.ts'
import type { Services } from '../services.ts'
import { type TemplatedSummary, toFollowed } from './made-content.ts'
import type { ForProcessing } from './queries.ts'

interface Wanted {
  template: ChosenTemplate | null
  /** ISO 639-1. It goes before the language of the template. */
  language?: string | null
  /** False if the session keeps the summary that it has, so that an empty one does no harm. */
  isUsed: boolean
}

/** Has the provider or the offline summarizer read a session. Throws AiError for an empty summary, which another attempt may fill. */
export async function summarizeSession(
  { db, ai, clock }: Pick<Services, 'db' | 'clock'> & { ai: Pick<Ai, 'summarize' | 'translates'> },
  { session, segments }: ForProcessing,
  { template, language: wanted = null, isUsed }: Wanted,
  signal: AbortSignal
): Promise<TemplatedSummary> {
  const { userId, title, type, language, timestamp } = session
  const translates = ai.translates ?? false
  const day = localDay(timestamp ?? clock.now(), await findTimeZone(db, userId))
  const summaryLanguage = wanted ?? (translates ? template?.language : null)
  const people = await selectPeopleNames(db, userId)
  const conversation = { title, type, language, segments, day, summaryLanguage, template, people }
  const made = await ai.summarize(conversation, signal)
  if (isUsed && isBlank(made.summary))
    throw new AiError('The AI provider answered with an empty summary', { final: false })
  const followed = template && { ...template, ...(wanted !== null && { language: wanted }) }
  return { ...made, template: toFollowed(followed, made, { translates, language }) }
}
