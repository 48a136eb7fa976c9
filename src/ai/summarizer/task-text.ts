import { plainAction } from './english-tasks.ts'

/** The end of a promise, from which on people talk about it. */
const TAIL = new RegExp(
  [
    '[;:—–]',
    String.raw`,? \b(?:because|since|although|though|but|unless|whereas|while)\b`,
    String.raw`,? (?:so|which|if|when|as|and|and then|where|once) (?:that|this|is|(?:I|we|you|it|they|there|he|she)(?:['’]\p{L}+)?)\b`,
    ',? and (?:the|our) [^,]{1,40}? (?:is|are|will) ',
    String.raw`, (?:how|what|where|just|I|we|you|it|that|this|they|there|he|she|so|okay|right|yeah|or|well|you know|like|actually)\b`
  ].join('|'),
  'iu'
)
const TAIL_WORDS =
  /(?<![\s,])[\s,]+(?:then|too|so|and|but|as well|for you(?: guys| all)?|okay|right|please|also|anyway|again|you know|for sure|if possible|maybe|though|probably|at some point|as soon(?: as possible)?|I (?:think|guess))\s*[.?!]*$/i
const TO_PARTY =
  /\b(send|give|e-?mail|mail|show|tell|forward|get|bring|ask|remind|call|contact|write|let|ring|to|with|for|from) (you(?: guys| all| both)?|me)\b/gi

/**
 * Words a promise or request as a task: "send you my notes by Friday, okay" becomes "Send Bob the notes". `you` and `me` are the
 * names behind these pronouns, null where they name the doer or several people.
 */
export function taskText(action: string, dueWords: string, you: string | null, me: string | null): string {
  let text = withoutDate(action.slice(0, TAIL.exec(action)?.index).replace(/(?<![.?!\s])[.?!\s]+$/, ''), dueWords)
  for (let count = 0; count < 3; count++) text = text.replace(TAIL_WORDS, '')
  text = plainAction(text)
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
  if (/^let$/i.test(before)) return 'let the others'
  return /^(?:to|with|for|from)$/i.test(before) ? '' : before
}

/** The due date is stored apart, so its words go, where the sentence stands without them: "prior to March 15" needs its date. */
function withoutDate(text: string, dueWords: string) {
  if (!dueWords) return text
  const isRelative = /^\p{Ll}/u.test(dueWords)
  const date = `${RegExp.escape(dueWords.replace(/^on /i, ''))}(?: (?:morning|afternoon|evening|at noon|latest|at the latest))?`
  const preposition = `(?:\\b(?:by|before|until|till|on|for|due|no later than) (?:the )?)${isRelative ? '?' : ''}`
  return text.replace(new RegExp(`(?<![\\s,])[\\s,]*(?:${preposition}${date}(?=[\\s,.?!]|$)|${date}(?=[,.?!]|$))`, 'iu'), '')
}
