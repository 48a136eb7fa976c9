/** Judges whether an English sentence with the form of a commitment speaks of work after the conversation. */
import { type Language, lowerCaseWords, openLanguage, termsOf } from './language.ts'
import verbs from './work-verbs.json' with { type: 'json' }

/** The surroundings of a commitment. */
export interface Surroundings {
  /** True if the sentence names a day. */
  isDated: boolean
  /** True in the last part of a long conversation, where tasks are given. */
  isNearEnd: boolean
  /** True where people greet and tell what the conversation is for. */
  isNearStart: boolean
  /** True if somebody else asked for something just before. */
  isAsked: boolean
  /** True if somebody else gives thanks just after. */
  isThanked: boolean
}

/** How directly the words commit somebody: "I'll", "I need to", "I can", "we'll". */
export type Force = 'direct' | 'need' | 'offer' | 'group'

/** Each force lowers the score of any action, and more that of a verb that is not always work. */
const DISCOUNTS: Record<Force, { any: number; unclear: number }> = {
  direct: { any: 0, unclear: 0 },
  need: { any: 0, unclear: 1 },
  offer: { any: 2, unclear: 0 },
  group: { any: 1, unclear: 1 }
}

const ENGLISH: Language = openLanguage('en')
/** The score of a verb; -1 where it is no work for later, whatever else is said. */
const VERB_SCORES = new Map([
  ...verbs.sometimes.map(verb => [verb, 1] as const),
  ...verbs.workWithDay.map(verb => [verb, 2] as const),
  ...verbs.work.map(verb => [verb, 3] as const),
  ...verbs.handOver.map(verb => [verb, 4] as const),
  ...verbs.never.map(verb => [verb, -1] as const)
])
const CLEAR_SCORE = 3
const UNKNOWN_VERB_SCORE = 1
/** "Saved it" is no promise; "need" and "embed" are verbs in their first form. */
const PAST = /^(?!(?:embed|feed|need|proceed|seed|speed)\b)\p{L}+ed\b/iu
const MAX_VERB_WORDS = 5
const MAX_VERB_CHARACTERS = 200
const MIN_SCORE = 3

const LATER =
  /\b(?:later|afterwards?|tomorrow|tonight|next (?:week|meeting|time|month|year)|by (?:the|next)|this (?:week|afternoon|evening)|over the weekend|after (?:the|this|our) (?:meeting|call)|as soon as|when I get (?:back|home)|half an hour|off ?line)\b/i
/** Things that are handed over, or kept after a conversation. */
const PRODUCT =
  /\b(?:agenda|bug|contract|deck|docs?|document\w*|draft|e-?mails?|files?|folder|form|invoice|links?|mails?|message|minutes|notes|offer|paper|patch|pointer|presentations?|proposal|prototype|pull request|PR|recordings?|reference|release|report|repo\w*|results|schedule|script|sheet|spreadsheet|spec|summary|survey|template|ticket|transcri\w+|wiki|website|web ?page)\b/i
/** The room and the call in which people speak. */
const HERE =
  /\b(?:board|white ?board|screen|microphones?|mike|cable|laptop|chair|chat|floor|(?:over |up |down |right )?here|for (?:you|us) now|right now|seconds?|time with)\b/i
/** Things that are pointed at in a conversation, unless the verb says that they are work. */
const SHOWN_THING =
  /\b(?:slides?|pens?|mouse|button|picture|talk|presentation|minutes? of|hand|overview|example|vote|question)\b/i
/** Work on the conversation itself. */
const IN_CALL =
  /\b(?:(?:during|in|for|at) (?:this|the|our) (?:meeting|session|call)|of the last meeting|(?:previous|last) minutes)\b/i
const NOW = /\b(?:now|quickly|real quick|briefly|for a (?:second|moment|minute)|first)\b/i

/** Returns whether the sentence gives a time, even one as vague as "later". */
export function isLater(text: string): boolean {
  return LATER.test(text)
}

/** Returns whether an action begins with a verb of work; `any` also takes those that are work only if something else says so. */
export function beginsWith(action: string, verbs: 'clear' | 'any'): boolean {
  return (verbScore(action) ?? 0) >= (verbs === 'any' ? 1 : CLEAR_SCORE)
}

/** How much speaks for an action, from its verb on, being work to do after the conversation; 0 if it is none. */
export function scoreWork(action: string, clause: string, force: Force, isSure: boolean, around: Surroundings): number {
  const base = verbScore(action) ?? UNKNOWN_VERB_SCORE
  if (base < 0 || PAST.test(action) || IN_CALL.test(action)) return 0
  const isHere = HERE.test(action)
  const terms = termsOf(lowerCaseWords(action).slice(1), ENGLISH)
  const isProduct = PRODUCT.test(action)
  const isClear = base >= CLEAR_SCORE
  if (base === 1 && !isSure && !isProduct) return 0
  if (force === 'group' && !isClear && !isProduct) return 0
  const { any, unclear } = DISCOUNTS[force]
  const score =
    base +
    (isSure ? 2 : 0) +
    Number(isProduct) +
    Number(around.isNearEnd) +
    Number(around.isAsked) +
    Number(around.isThanked) -
    Number(terms.length === 0 && !isProduct && !isClear) -
    (isHere && !(isClear && isProduct) ? 2 : 0) -
    (SHOWN_THING.test(action) && !isClear ? 2 : 0) -
    (around.isNearStart && base <= CLEAR_SCORE ? 2 : 0) -
    Number(NOW.test(clause) && !isSure) -
    (isSure ? Math.min(any, 1) : any) -
    (isClear ? 0 : unclear)
  return score >= MIN_SCORE ? score : 0
}

/** The score of the longest verb with which an action begins. */
function verbScore(action: string) {
  const words = lowerCaseWords(action.slice(0, MAX_VERB_CHARACTERS)).slice(0, MAX_VERB_WORDS)
  return words
    .map((_, last) => VERB_SCORES.get(words.slice(0, last + 1).join(' ')))
    .findLast(score => score !== undefined)
}
