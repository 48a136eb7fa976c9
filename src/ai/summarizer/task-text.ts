import { plainAction } from './english-tasks.ts'

/** Where a promise ends and the talk about it begins. */
const TAIL =
  /[;:—–].*$|,? \b(?:because|since|although|though|but|unless|whereas|while)\b.*$|,? (?:so|which|if|when|as|and|and then|where|once) (?:that|I|we|you|it|they|there|he|she|this|is|(?:I|we|you|it|that|they)['’]\p{L}+)\b.*$|,? and (?:the|our) [^,]{1,40}? (?:is|are|will) .*$|,? and \p{Lu}\p{Ll}+(?:['’]s|['’]ll| will| is) .*$|, (?:how|what|where|just|I|we|you|it|that|this|they|there|he|she|so|okay|right|yeah|or|well|you know|I mean|like|actually)\b.*$/iu
const TAIL_WORDS =
  /(?<![\s,])[\s,]+(?:then|too|so|and|but|as well|for you(?: guys| all)?|okay|right|please|also|anyway|again|you know|for sure|if possible|maybe|though|probably|at some point|as soon(?: as possible)?|I (?:think|guess))\s*[.?!]*$/i
/** Dates that stand without a preposition, or bring their own. */
const BARE_DATE = /^(?:next|this|tomorrow|today|tonight|in |within |the day after|by |before |on )/i

/**
 * Words a promise or request as a task: "send you my notes by Friday, okay" becomes "Send Bob the notes". `you` and `me` are the
 * names behind these pronouns, null where they name the doer or several people.
 */
export function taskText(action: string, dueWords: string, you: string | null, me: string | null): string {
  let text = withoutDate(action.replace(TAIL, '').replace(/(?<![.?!\s])[.?!\s]+$/, ''), dueWords)
  for (let count = 0; count < 3; count++) text = text.replace(TAIL_WORDS, '')
  text = nameParty(nameParty(plainAction(text), 'you(?: guys| all| both)?', you), 'me', me)
    .replace(/\b(?:my|your) (?!own)/gi, 'the ')
    .replace(/\s+/g, ' ')
    .replace(/(?<![\s,;:.?!–-])[\s,;:.?!–-]+$/, '')
    .trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** "Send you" names the other party, or nobody when there are several. */
function nameParty(text: string, pronoun: string, name: string | null) {
  const object = new RegExp(
    `\\b(send|give|e-?mail|mail|show|tell|forward|get|bring|ask|remind|call|contact|write|let|ring) ${pronoun}\\b`,
    'gi'
  )
  const target = new RegExp(`\\b(to|with|for|from) ${pronoun}\\b`, 'gi')
  return text
    .replace(object, (_, verb: string) => (name ? `${verb} ${name}` : verb === 'let' ? 'let the others' : verb))
    .replace(target, (_, preposition: string) => (name ? `${preposition} ${name}` : ''))
}

/** The due date is stored apart; its words go where the sentence stands without them. */
function withoutDate(text: string, dueWords: string) {
  if (!dueWords) return text
  const preposition = `(?:\\b(?:by|before|until|till|on|due|due by|no later than)(?: the)? )${BARE_DATE.test(dueWords) ? '?' : ''}`
  const daytime = '(?: (?:morning|afternoon|evening|at noon|latest|at the latest))?'
  return text.replace(new RegExp(`(?<![\\s,])[\\s,]*${preposition}${RegExp.escape(dueWords)}${daytime}(?=[\\s,.?!]|$)`, 'iu'), '')
}
