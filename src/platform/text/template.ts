import type { SummaryPart } from '../../contract/summary-parts.ts'
import { wordKey } from './fold.ts'

/** The sections of a summary, in their order. Their headings differ, also for `headingKey`. */
export interface Template {
  sections: TemplateSection[]
}

export interface TemplateSection {
  heading: string
  /** The description of what belongs there, in the words of its owner. */
  content: string
  /** The part that the offline summarizer fills it with; null if it can't. At most one section has each part. */
  part: SummaryPart | null
}

/** A template that a summary is to follow. */
export interface ChosenTemplate extends Template {
  id: string
  name: string
  /** ISO 639-1. Null for the language of the conversation. */
  language: string | null
}

/** A template that a summary follows, which may have changed or been deleted since. */
export interface FollowedTemplate {
  id: string
  name: string
  /** The headings of its sections that the summary lacks. */
  leftOut: string[]
  /** True if it asks for another language, which the summarizer does not write. */
  untranslated: boolean
}

/** The comparison key of a heading: its letters and digits without case, and without the number of a list before them. */
export function headingKey(heading: string) {
  const words = heading.replace(/^\d+[.)]\s/, '').match(/[\p{L}\p{N}\p{M}]+/gu)
  return wordKey(words?.join(' ') ?? heading.trim())
}
