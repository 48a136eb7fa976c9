import { STRONG_PHRASES, STRONG_VERBS, WEAK_VERBS, WORK_VERBS } from './words/tasks-en.ts'

/** Where a promise ends and the talk about it begins. */
const TAIL =
  /[;:—–].*$|,? \b(?:because|since|although|though|but|unless|whereas|while)\b.*$|,? (?:so|which|if|when|as|and|and then|where) (?:that|I|we|you|it|they|there|he|she|this|is|I['’]\w+|we['’]\w+|you['’]\w+|it['’]s|that['’]s|they['’]\w+)\b.*$|,? and (?:the|our) [^,]{1,40}? (?:is|are|will) .*$|,? and \p{Lu}\p{Ll}+(?:['’]s|['’]ll| will| is) .*$|,? once (?:you|we|I|it|they) .*$|, (?:how|what|where|just|jus)\b.*$|, (?:I|we|you|it|that|this|they|there|he|she|so|okay|right|yeah|and|or|um|well|you know|I mean|just|like|actually)\b(?! (?:send|email|write|share|then send)).*$/iu
const TAIL_WORDS =
  /(?<![\s,])[\s,]+(?:then|too|so|and|and let|but|etcetera|as well|for you(?: guys| all)?|okay|right|please|also|anyway|again|you know|for sure|if possible|maybe|though|probably|at some point|as soon(?: as possible)?|to be honest|I (?:think|guess))\s*[.?!]*$/i
const LEAD_WORDS =
  /^(?:(?:also|then|just|please|maybe|perhaps|definitely|probably|certainly|actually|quickly|really|go ahead and|try to|try and|have to|need to|be sure to|make sure to|all|both|guys|so)[\s,]+)+/i

export interface Parties {
  /** The one who speaks, and who is spoken to where that is one person. */
  speaker: string
  addressee: string | null
}

/** A promise or request from its verb on, as a task: "send you my notes by Friday, okay" becomes "Send the notes". */
export function taskText(action: string, dueWords: string, { addressee, speaker }: Parties, asked: boolean): string {
  let text = action.replace(TAIL, '').replace(/(?<![.?!\s])[.?!\s]+$/, '')
  text = withoutDue(text, dueWords)
  for (let count = 0; count < 3; count++) text = text.replace(TAIL_WORDS, '').replace(LEAD_WORDS, '')
  text = baseForm(text)
  // "you" is the other one in a promise and the doer in a request, "me" the other way round.
  const you = asked ? null : addressee
  const me = asked ? speaker : null
  text = text
    .replace(
      /\b((?:send|give|email|e-mail|mail|show|tell|forward|get|bring|ask|remind|call|contact|write|let|ring)) (?:you|yous)(?: guys| all| both)?\b/gi,
      (_, verb: string) => (you ? `${verb} ${you}` : verb === 'let' ? 'let the others' : verb)
    )
    .replace(/\b(to|with|for|from) you(?: guys| all| both)?\b/gi, you ? `$1 ${you}` : '')
    .replace(/\b(send|give|email|e-mail|mail|show|tell|forward|get|bring|ask|remind|call|contact|let|ring) me\b/gi, me ? `$1 ${me}` : '$1')
    .replace(/\b(to|with|for|from) me\b/gi, me ? `$1 ${me}` : '')
    .replace(/\b(?:my|your) (?!own)/gi, 'the ')
  text = text
    .replace(/\s+/g, ' ')
    .replace(/(?<![\s,;:.?!–-])[\s,;:.?!–-]+$/, '')
    .trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The day is kept apart; words for it go where the sentence stands without them. */
function withoutDue(text: string, dueWords: string) {
  if (!dueWords) return text
  const words = dueWords.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const bare = /^(?:next|this|tomorrow|today|tonight|in |within |the day after|by |before |on )/i.test(dueWords)
  const lead = '(?:by|before|until|till|on|due|due by|no later than|bis|am|avant|pour|antes del?|para el)(?: the| le| zum)?'
  return text.replace(
    new RegExp(
      `(?<![\\s,])[\\s,]*(?:\\b${lead} )${bare ? '?' : ''}${words}(?: (?:morning|afternoon|evening|at noon|latest|at the latest))?(?=[\\s,.?!]|$)`,
      'iu'
    ),
    ''
  )
}

/** "be working on it" is "work on it". */
export function baseForm(text: string) {
  return text.replace(/^be (\p{L}+)ing\b/iu, (whole, stem: string) => {
    const known = [`${stem}e`, stem.slice(0, -1), stem].find(
      base => STRONG_VERBS.has(base) || WEAK_VERBS.has(base) || WORK_VERBS.has(base) || base === 'work'
    )
    return known ?? whole
  })
}

/** The action without the words before its verb. */
export function plainAction(action: string) {
  return baseForm(action.replace(LEAD_WORDS, '')).replace(LEAD_WORDS, '')
}

/** How surely a task begins with this verb: 3 for work by itself, 2.5 where something has to be named, 2 where a time has to be. */
export function verbStrength(action: string): 0 | 2 | 2.5 | 3 {
  const bare = plainAction(action)
  const [verb = ''] = bare.toLowerCase().match(/^[\p{L}-]+/u) ?? []
  if (STRONG_VERBS.has(verb) || STRONG_PHRASES.test(bare) || /^work on\b/i.test(bare)) return 3
  if (WORK_VERBS.has(verb)) return 2.5
  return WEAK_VERBS.has(verb) ? 2 : 0
}
