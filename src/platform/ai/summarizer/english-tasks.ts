/** Finds and words tasks of English sentences: the form of a sentence says who commits whom, and english-evidence.ts whether that is work. */
import { beginsWith, type Force, isLater, type Surroundings, scoreWork } from './english-evidence.ts'

/** The person who does a task: the speaker, the person asked, a named person, or nobody yet. */
type Doer = 'speaker' | 'asked' | 'nobody' | { name: string }

/** A sentence that commits somebody to something. */
export interface Task {
  /** The sentence from its verb on. */
  action: string
  doer: Doer
  /** True if the sentence gives a time, even one as vague as "later", or calls it an action item. */
  isSure: boolean
}

/** A sentence has this many commitments at most that are looked at. */
const MAX_FORMS = 6
/** With this score a task needs no time and no assignee. */
const SURE_SCORE = 6

const LABELLED = /\b(?:action (?:item|point)|to-?do)s?\s*:\s*(?:to )?(?<action>.+)$/i
const NAMED =
  /^(?:(?:and|so|the|our|The|Our) )*(?<name>\p{Lu}[\p{L}’-]+(?: \p{Lu}[\p{L}’-]+){0,3})(?:['’]ll| will|['’]s going to| is going to| to| should| needs to| has to) (?<action>.+)$/u
/** The words that begin a commitment, by who is committed and how directly. The first of several at one place counts. */
const FORMS: readonly { doer: 'speaker' | 'asked' | 'nobody'; force: Force; words: RegExp }[] = [
  {
    doer: 'asked',
    force: 'direct',
    words:
      /(?:can|could|will|would) you(?: guys| all| both| please)?|\bplease\b|\bI (?:need|want) you(?: guys| all| both)? to|\bI(?:['’]d| would) like you(?: guys| all| both)? to|\byou(?: guys)?(?:['’]ll| will) (?:need|have) to/gi
  },
  {
    doer: 'speaker',
    force: 'direct',
    words: /\bI(?:['’]ll| will| shall|['’]m going to| am going to)(?: have to| need to)?/gi
  },
  { doer: 'speaker', force: 'need', words: /\bI (?:need|have|['’]ve got) to|\bI(?:['’]d| would) be happy to/gi },
  { doer: 'speaker', force: 'offer', words: /\bI can\b(?!['’])/gi },
  {
    doer: 'nobody',
    force: 'group',
    words:
      /\bwe(?: (?:need to|have to|should|must|shall|will)|['’]ll|['’]re going to|['’]ve got to)(?: need to| have to)?(?! (?:need|have)\b)/gi
  }
]
const CALLED_FIRST = /^(\p{Lu}[\p{L}’-]+), (?:can|could|will|would|please|you|I['’]d|I need|I want)\b/u
const CALLED_LAST = /, (\p{Lu}[\p{L}’-]+)[.?!]$/u

/** Words before a commitment that take it back, wherever they stand: "if they pay", "she said". */
const TAKEN_BACK =
  /\b(?:if|unless|suppose|imagine|says?|said|tells?|told|asks?|asked|writes?|wrote|repl(?:y|ies|ied)|answer(?:s|ed)|promised|shouted|whether)\b|["“„«‘]/i
/** Words that take it back within its own clause. */
const DOUBT =
  /\b(?:would|could|might|maybe|perhaps|probably|\w+n['’]t|not|never|thought|where|why|how|what|which|who|did|when|like)\b|(?:that|thing)\s*$/i
const CLAUSE_START = /[;:—–,]\s+(?:and|but|so|then|also|plus|I|we)\b|\b(?:but|so|then)\b/gi

/** Words without which no sentence has the form of a task. Most sentences have none, and need no search for dates. */
const COMMITTING =
  /['’](?:ll|d like|m going|re going|s going|ve got)\b|\b(?:will|shall|going to|needs? (?:you|to)|need|(?:have|has) to|should|must|please|can|could|would|want you|action (?:item|point)s?|to-?dos?)\b|^(?:\S+ ){1,7}to\b/i

/** Returns whether a sentence may be a task at all. */
export function mayCommit(text: string): boolean {
  return COMMITTING.test(text)
}

/** The task in an English sentence, if there is one. */
export function readEnglishTask(text: string, around: Surroundings): Task | undefined {
  const label = LABELLED.exec(text)?.groups?.action
  const { name, action: named = '' } = NAMED.exec(label ?? text)?.groups ?? {}
  const isSure = around.isDated || label !== undefined || isLater(text)
  if (name && (label || isNamedWork(named, text, isSure, around))) return { action: named, doer: { name }, isSure }
  if (label) return { action: label, doer: 'nobody', isSure }
  const found = FORMS.flatMap(({ doer, force, words }) =>
    [...text.matchAll(words)].slice(0, MAX_FORMS).flatMap(({ 0: match, index: at }) => {
      const action = text.slice(at + match.length).trimStart()
      if ((text.endsWith('?') && doer !== 'asked') || isTakenBack(text.slice(0, at))) return []
      const score = scoreWork(plainAction(action), clauseOf(text, at), force, isSure, around)
      return score > 0 ? [{ doer, action, score }] : []
    })
  )
  const [best] = found.sort((a, b) => b.score - a.score)
  if (best?.doer !== 'asked') {
    return best && { action: best.action, doer: best.doer, isSure: isSure || best.score >= SURE_SCORE }
  }
  const last = CALLED_LAST.exec(text)?.[1]
  const called = CALLED_FIRST.exec(text)?.[1] ?? last
  const action = last ? best.action.replace(`, ${last}`, '') : best.action
  return { action, doer: called ? { name: called } : 'asked', isSure: isSure || best.score >= SURE_SCORE }
}

function isNamedWork(action: string, text: string, isSure: boolean, around: Surroundings) {
  const plain = plainAction(action)
  return beginsWith(plain, isSure ? 'any' : 'clear') && scoreWork(plain, text, 'direct', isSure, around) > 0
}

function isTakenBack(before: string) {
  return TAKEN_BACK.test(before) || DOUBT.test(before.slice(clauseStart(before)))
}

function clauseStart(before: string) {
  if (/[,;:—–]\s*$/.test(before)) return before.length
  return [...before.matchAll(CLAUSE_START)].at(-1)?.index ?? 0
}

/** The clause in which a commitment stands. */
function clauseOf(text: string, at: number) {
  return text.slice(clauseStart(text.slice(0, at)))
}

/** The end of a promise, from which on people talk about it. */
const TAIL =
  /[;:—–]|,? \b(?:because|since|although|though|but|unless|whereas|while|as soon as)\b|(?:,|,? (?:so|which|if|when|as|and|(?:and )?then|where|once)) (?:that|this|is|how|what|where|just|or|so|okay|right|yeah|well|actually|(?:I|we|you|it|they|there|he|she|maybe)(?:['’]\p{L}+)?)\b| and (?:\p{L}+['’]s|\p{L}+ (?:is|are)) going to\b/iu
/** After these verbs a clause with "if" or "how" is what is to be found out. */
const FINDING_OUT =
  /^(?:[a-z]+ly |just |also |try to |go and )?(?:check|see|ask|find out|figure out|look|work out|verify|confirm)\b/i
const TAIL_OF_FINDING =
  /[;:—–]|,? \b(?:because|since|although|though|but|unless|whereas|while|as soon as)\b|,? (?:so|which|as|and (?:then )?) ?(?:that|this|is|it|they|there|I|we|you|he|she)\b/i
const TO_PARTY =
  /\b(send|give|e-?mail|show|tell|get|ask|remind|call|let|to|with|for|from) (you(?: guys| all| both)?|me)\b/gi

/**
 * Words a promise or request as a task: "send you my notes by Friday, okay" becomes "Send Bob the notes". `you` and `me` are the
 * names behind these pronouns, null where they name the doer or several people.
 */
export function taskText(action: string, dueWords: string, you: string | null, me: string | null): string {
  const tail = FINDING_OUT.test(action) ? TAIL_OF_FINDING : TAIL
  const text = plainAction(
    withoutDate(action.slice(0, tail.exec(action)?.index).replace(/(?<![.?!\s])[.?!\s]+$/, ''), dueWords)
  )
    .replace(TO_PARTY, (_, before: string, pronoun: string) => nameParty(before, /^me$/i.test(pronoun) ? me : you))
    .replace(/\b(?:my|your) (?!own)/gi, 'the ')
    .replace(/\s+/g, ' ')
    .replace(/(?<![\s,;:.?!–-])[\s,;:.?!–-]+$/, '')
    .replace(/^[\s,;:.]+/, '')
    .trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Words before the verb. */
const FILLING =
  /^(?:(?:also|then|just|actually|basically|still|always|go ahead and|go and|try to|try and|please|like to|be able to|be happy to|gladly|hopefully|maybe|perhaps|definitely|probably|certainly|quickly|really|all|both|so)[\s,]+)+/i

/** The action from its verb on: "be working on it" becomes "work on it". */
function plainAction(action: string): string {
  const plain = action
    .replace(FILLING, '')
    .replace(/^have a (?:closer )?look (?=at\b)/i, 'take a look ')
    .replace(/^(\p{L}+) (?:you|them|him|her|us) (up|out)\b/iu, '$1 $2')
  const [, stem = ''] = /^be (\p{L}+)ing\b/iu.exec(plain) ?? []
  const forms = [`${stem}e`, stem.slice(0, -1), stem].map(form => plain.replace(/^be \p{L}+/iu, form))
  return (stem && forms.find(form => beginsWith(form, 'any'))) || plain
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
    new RegExp(
      `(?<![\\s,])[\\s,]*(?:\\b(?:by|before|until|till|on|for|due) (?:the )?${date}(?![\\p{L}\\p{N}])|${date}$)`,
      'iu'
    ),
    ''
  )
}
