import { withoutRemark } from './items.ts'
import wordings from './wording.json' with { type: 'json' }

/** The words of minutes in a language, or in English if there are none. */
export function wordingOf(language: string) {
  return new Map(Object.entries(wordings)).get(language) ?? wordings.en
}

/** A speaker's name without the office or party in brackets behind it. */
export function nameOf(speaker: string): string {
  return (withoutRemark(speaker) || speaker).replace(/\s+/g, ' ').trim()
}
