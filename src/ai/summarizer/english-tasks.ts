/**
 * Finds what somebody has to do after a conversation. The form of a sentence says who commits whom ("I'll …", "could you …"), its verb says
 * whether that is work, and what stands beside it (a day, "later", an object) says how sure it is.
 */
import { DANGLING, DAY_WORK, FILLING, OBJECT_WORK, TALK, WORK } from './work-verbs.ts'

/** The person who does a task: the speaker, the person asked, a named person, or nobody yet. */
export type Doer = 'speaker' | 'asked' | 'nobody' | { name: string }

/** A sentence that commits somebody to something. */
export interface Task {
  /** The sentence from its verb on. */
  action: string
  doer: Doer
  /** At least `MIN_SCORE` makes an action item. */
  score: number
}

/** When a task is due, as far as its sentence says. */
export type Due = 'never' | 'today' | 'later'

export const MIN_SCORE = 3

/** Each form ends with the action; what stands before it may take it back. */
const LABELLED = /\b(?:action (?:item|point)|to-?do)s?\s*:\s*(?:to )?(.+)$/i
const NAMED = /^(?:and |so )?(\p{Lu}[\p{L}’-]+)(?:['’]ll| will|['’]s going to| is going to| to| should| needs to| has to) (.+)$/u
const PROMISE = /^(.*?)\b(I['’]ll|I will|I['’]m going to|I am going to|let me|I (?:need|have) to)\s+(.+)$/i
const REQUEST =
  /^(.*?)(?:(?:can|could|will|would) you(?: guys| all| both)?|\bplease|I need you to|I(?:['’]d| would) like you to|I want you to|you['’]ll (?:need|have) to)\s+(.+)$/i
const SHARED = /^(.*?)\b(?:we (?:need to|have to|should|must)|we(?:['’]ll| will) (?:need|have) to)\s+(.+)$/i
const CALLED = /^(\p{Lu}[\p{L}’-]+), (?:can|could|will|would|please|you)\b|, (\p{Lu}[\p{L}’-]+)[.?!]$/u

/** Words before a commitment that take it back: anywhere in the sentence, or in the same clause. */
const CONDITION = /\b(?:if|unless|suppose|imagine|say)\b|["“]/i
const DOUBT =
  /\b(?:whether|would|could|might|\w+n['’]t|not|never|said|says|thought|think you|where|why|how|what|which|who|did|than|as|do|that)\b/i
const PAST = /\b(?:last (?:week|time|month|year)|yesterday|earlier|previously|ago|used to)\b/i
const AT_ONCE = /\b(?:now|first|quickly|briefly|(?:for|in) a (?:second|minute|moment)|(?:right |over )?here|slide|board|for me|hold on)\b/i
const LATER =
  /\b(?:later|afterwards?|tomorrow|tonight|next (?:week|meeting|time|month|year)|by (?:then|the|next)|this (?:week|afternoon|evening)|over the weekend|before (?:the|our|we|you) (?:next|meet)|after (?:the|this|our) (?:meeting|call)|as soon as|(?:when|once) (?:I|we) (?:get|have|hear)|offline)\b/i

/** The task in an English sentence, if there is one. `countObjects` counts the words of an action that carry a topic. */
export function readEnglishTask(text: string, due: Due, countObjects: (action: string) => number): Task | undefined {
  const score = (action: string) => scoreTask(text, action, due, countObjects)
  const isQuestion = text.endsWith('?')
  const label = LABELLED.exec(text)?.[1]
  const [, name, named] = NAMED.exec(label ?? text) ?? []
  if (label && !isQuestion) return { action: named ?? label, doer: name ? { name } : 'nobody', score: MIN_SCORE + 2 }
  if (name && named && !isQuestion) return { action: named, doer: { name }, score: score(named) }
  const [, beforePromise = '', form = '', promised] = PROMISE.exec(text) ?? []
  if (promised && !isQuestion && !isDoubted(beforePromise)) {
    return { action: promised, doer: 'speaker', score: score(promised) - (/^let me$/i.test(form) ? 1 : 0) }
  }
  const [, beforeRequest = '', asked] = REQUEST.exec(text) ?? []
  if (asked && !isDoubted(beforeRequest)) {
    const [, first, last] = CALLED.exec(text) ?? []
    const called = first ?? last
    const action = last ? asked.replace(`, ${last}`, '') : asked
    return { action, doer: called ? { name: called } : 'asked', score: score(action) + (called ? 1 : -1) }
  }
  const [, beforeShared = '', shared] = SHARED.exec(text) ?? []
  if (!shared || isQuestion || isDoubted(beforeShared) || !WORK.test(shared)) return undefined
  return { action: shared, doer: 'nobody', score: score(shared) - 1 }
}

/** "If they pay", "I never said that". */
function isDoubted(before: string) {
  return CONDITION.test(before) || DOUBT.test(before.split(/[,;]|\b(?:and|so|but|because|then)\b/i).at(-1) ?? '')
}

/** Work counts alone; what may be work needs its object or a day; a day makes either surer. Words about the conversation never count. */
function scoreTask(text: string, said: string, due: Due, countObjects: (action: string) => number) {
  const action = plainAction(said)
  const isWork = WORK.test(action)
  const isObjectWork = OBJECT_WORK.test(action)
  const isLater = due === 'later' || LATER.test(text)
  if (!(isWork || isObjectWork || (isLater && DAY_WORK.test(action))) || PAST.test(text)) return 0
  if (due !== 'later' && (TALK.test(action) || (!isWork && DANGLING.test(action)))) return 0
  if (due === 'never' && AT_ONCE.test(action)) return 0
  const dayWeight = due === 'later' || (due === 'today' && isWork) ? 2 : isLater ? 1 : 0
  const workWeight = isWork || (isObjectWork && countObjects(action) > 1) ? 3 : 2
  return workWeight + dayWeight - (/\b(?:maybe|perhaps|probably|might)\b/i.test(text) ? 1 : 0)
}

/** The action from its verb on: "be working on it" becomes "work on it". */
export function plainAction(action: string): string {
  const plain = action.replace(FILLING, '')
  const [, stem = ''] = /^be (\p{L}+)ing\b/iu.exec(plain) ?? []
  const forms = [`${stem}e`, stem.slice(0, -1), stem].map(form => plain.replace(/^be \p{L}+/iu, form))
  return (stem && forms.find(form => WORK.test(form) || OBJECT_WORK.test(form))) || plain
}
