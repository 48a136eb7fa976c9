/** Finds and words tasks of English sentences: the form of a sentence says who commits whom, and its verb says whether that is work. */
import { lowerCaseWords } from './language.ts'
import verbs from './work-verbs.json' with { type: 'json' }

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

const WORK = new Set(verbs.work)
const WORK_WITH_DAY = new Set([...verbs.work, ...verbs.workWithDay])
const TALK = /^(?:finish up|share (?:my|our|the) (?:screen|time)|write (?:\w+ )*?down)\b/i
const MAX_VERB_WORDS = 5

const LABELLED = /\b(?:action (?:item|point)|to-?do)s?\s*:\s*(?:to )?(?<action>.+)$/i
const NAMED =
  /^(?:and |so )?(?<name>\p{Lu}[\p{L}’-]+)(?:['’]ll| will|['’]s going to| is going to| to| should| needs to| has to) (?<action>.+)$/u
const FORMS = {
  speaker: /^(?<before>.*?)\b(?:I['’]ll|I will|I['’]m going to|I am going to|I need to)\s+(?<action>.+)$/i,
  asked:
    /^(?<before>.*?)(?:(?:can|could|will|would) you(?: guys| all| both)?|\bplease|I need you to|I(?:['’]d| would) like you to|you['’]ll (?:need|have) to)\s+(?<action>.+)$/i,
  nobody:
    /^(?<before>.*?)\b(?:we (?:need to|have to|should|must)|we(?:['’]ll| will) (?:need|have) to)\s+(?<action>.+)$/i
}
const CALLED_FIRST = /^(\p{Lu}[\p{L}’-]+), (?:can|could|will|would|please|you)\b/u
const CALLED_LAST = /, (\p{Lu}[\p{L}’-]+)[.?!]$/u

/** Words before a commitment that take it back: "if they pay", "I never said that". */
const DOUBT =
  /\b(?:if|unless|suppose|imagine|says?|said|tells?|told|asks?|asked|writes?|wrote|repl(?:y|ies|ied)|answer(?:s|ed)?|promised|shouted|whether|would|could|might|maybe|probably|\w+n['’]t|not|never|thought|where|why|how|what|which|who|did)\b|(?:that|thing)\s*$|["“„«‘]/i
const LATER =
  /\b(?:later|afterwards?|tomorrow|tonight|next (?:week|meeting|time|month|year)|by (?:the|next)|this (?:week|afternoon|evening)|over the weekend|after (?:the|this|our) (?:meeting|call)|as soon as)\b/i

/** The task in an English sentence, if there is one. */
export function readEnglishTask(text: string, isDated: boolean): Task | undefined {
  const label = LABELLED.exec(text)?.groups?.action
  const { name, action: named = '' } = NAMED.exec(label ?? text)?.groups ?? {}
  const isSure = isDated || label !== undefined || LATER.test(text)
  if (name && (label || isWork(named, isSure))) return { action: named, doer: { name }, isSure }
  if (label) return { action: label, doer: 'nobody', isSure }
  for (const doer of ['speaker', 'asked', 'nobody'] as const) {
    const { before = '', action = '' } = FORMS[doer].exec(text)?.groups ?? {}
    if (!isWork(action, isSure) || DOUBT.test(before) || (text.endsWith('?') && doer !== 'asked')) continue
    if (doer !== 'asked') return { action, doer, isSure }
    const last = CALLED_LAST.exec(text)?.[1]
    const called = CALLED_FIRST.exec(text)?.[1] ?? last
    return { action: last ? action.replace(`, ${last}`, '') : action, doer: called ? { name: called } : doer, isSure }
  }
  return undefined
}

function isWork(action: string, hasDay: boolean) {
  const plain = plainAction(action)
  return beginsWith(plain, hasDay ? WORK_WITH_DAY : WORK) && !TALK.test(plain)
}

function beginsWith(action: string, verbs: ReadonlySet<string>) {
  const words = lowerCaseWords(action).slice(0, MAX_VERB_WORDS)
  return words.some((_, last) => verbs.has(words.slice(0, last + 1).join(' ')))
}

/** The end of a promise, from which on people talk about it. */
const TAIL =
  /[;:—–]|,? \b(?:because|since|although|though|but|unless|whereas|while|as soon as)\b|(?:,|,? (?:so|which|if|when|as|and|(?:and )?then|where|once)) (?:that|this|is|how|what|where|just|or|so|okay|right|yeah|well|actually|(?:I|we|you|it|they|there|he|she)(?:['’]\p{L}+)?)\b/iu
const TO_PARTY =
  /\b(send|give|e-?mail|show|tell|get|ask|remind|call|let|to|with|for|from) (you(?: guys| all| both)?|me)\b/gi

/**
 * Words a promise or request as a task: "send you my notes by Friday, okay" becomes "Send Bob the notes". `you` and `me` are the
 * names behind these pronouns, null where they name the doer or several people.
 */
export function taskText(action: string, dueWords: string, you: string | null, me: string | null): string {
  const text = plainAction(
    withoutDate(action.slice(0, TAIL.exec(action)?.index).replace(/(?<![.?!\s])[.?!\s]+$/, ''), dueWords)
  )
    .replace(TO_PARTY, (_, before: string, pronoun: string) => nameParty(before, /^me$/i.test(pronoun) ? me : you))
    .replace(/\b(?:my|your) (?!own)/gi, 'the ')
    .replace(/\s+/g, ' ')
    .replace(/(?<![\s,;:.?!–-])[\s,;:.?!–-]+$/, '')
    .trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Words before the verb. */
const FILLING =
  /^(?:(?:also|then|just|go ahead and|try to|please|maybe|perhaps|definitely|probably|certainly|quickly|really|all|both|so)[\s,]+)+/i

/** The action from its verb on: "be working on it" becomes "work on it". */
function plainAction(action: string): string {
  const plain = action.replace(FILLING, '')
  const [, stem = ''] = /^be (\p{L}+)ing\b/iu.exec(plain) ?? []
  const forms = [`${stem}e`, stem.slice(0, -1), stem].map(form => plain.replace(/^be \p{L}+/iu, form))
  return (stem && forms.find(form => beginsWith(form, WORK_WITH_DAY))) || plain
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
