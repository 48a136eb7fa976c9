import { plainAction } from './english-tasks.ts'

/** The end of a promise, from which on people talk about it. */
const TAIL =
  /[;:—–]|,? \b(?:because|since|although|though|but|unless|whereas|while|as soon as)\b|(?:,|,? (?:so|which|if|when|as|and|and then|where|once)) (?:that|this|is|how|what|where|just|or|so|okay|right|yeah|well|actually|(?:I|we|you|it|they|there|he|she)(?:['’]\p{L}+)?)\b/iu
const TO_PARTY = /\b(send|give|e-?mail|show|tell|get|ask|remind|call|let|to|with|for|from) (you(?: guys| all| both)?|me)\b/gi

/**
 * Words a promise or request as a task: "send you my notes by Friday, okay" becomes "Send Bob the notes". `you` and `me` are the
 * names behind these pronouns, null where they name the doer or several people.
 */
export function taskText(action: string, dueWords: string, you: string | null, me: string | null): string {
  const text = plainAction(withoutDate(action.slice(0, TAIL.exec(action)?.index).replace(/(?<![.?!\s])[.?!\s]+$/, ''), dueWords))
    .replace(TO_PARTY, (_, before: string, pronoun: string) => nameParty(before, /^me$/i.test(pronoun) ? me : you))
    .replace(/\b(?:my|your) (?!own)/gi, 'the ')
    .replace(/\s+/g, ' ')
    .replace(/(?<![\s,;:.?!–-])[\s,;:.?!–-]+$/, '')
    .trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** "Send you" names the other party, or nobody when there are several. */
function nameParty(before: string, name: string | null) {
  if (name) return `${before} ${name}`
  return /^(?:to|with|for|from)$/i.test(before) ? '' : before
}

/** The due date is stored apart, so its words go, where they stand after a preposition or at the end. */
function withoutDate(text: string, dueWords: string) {
  if (!dueWords) return text
  const date = `${RegExp.escape(dueWords.replace(/^on /i, ''))}(?: morning| afternoon| evening| at noon)?`
  return text.replace(
    new RegExp(`(?<![\\s,])[\\s,]*(?:\\b(?:by|before|until|till|on|for|due) (?:the )?${date}(?![\\p{L}\\p{N}])|${date}$)`, 'iu'),
    ''
  )
}
