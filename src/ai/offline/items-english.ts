import type { Task } from './items.ts'
import type { People } from './people.ts'
import type { Sentence } from './sentences.ts'
import { plainAction, verbStrength } from './task-text.ts'
import { AT_ONCE, LATER, NOT_TASKS } from './words/tasks-en.ts'

export interface Context {
  /** Whether the sentence names a day. */
  due: boolean
  dueToday: boolean
  people: People
  /** How many words of the action carry meaning of their own. */
  objects(action: string): number
}

const EXPLICIT =
  /\b(?:action (?:item|point)|to-?do|next step|follow-up)s?(?: (?:here|for \p{L}+|there))?(?: (?:is|would be|will be))?\s*[:,–-]?\s+(.+)$/iu
const PROMISE = /^(.*?)\b(I['’]ll|I will|I['’]m going to|I am going to|I shall|let me|I (?:need|have) to|I should)\s+(.+)$/i
const REQUEST =
  /^(.*?)\b(?:(?:can|could|will|would) you(?: guys| all| both)?|please|I need you to|I(?:['’]d| would) like you to|I want you to|you (?:need|have) to|you should|you must|you['’]ll (?:need to|have to|be)|you(?:['’]re| are) going to)\s+(.+)$/i
const SHARED = /^(.*?)\b(?:we (?:need to|have to|should|must|ought to)|we(?:['’]ll| will) (?:need|have) to|we['’]ve got to)\s+(.+)$/i

const DOUBTS =
  /\b(?:if|unless|whether|would|could|might|don['’]t|doesn['’]t|didn['’]t|not|never|said|says|thought|think you|suppose|imagine|say|where|why|how|what|which|who|did|than|as|do|that)\b|["“]/i
const PAST = /\b(?:last (?:week|time|month|year)|yesterday|earlier|previously|ago|used to)\b/i
const DANGLING =
  /^\S+(?: (?:out|up|on|into|back|with|to|at|off))? (?:it|that|this|them|those|these|one|some|something|things|stuff)\b\W*(?:\S+ ?){0,1}$/i

/** The task in an English sentence, if there is one. */
export function englishTask(sentence: Sentence, context: Context): Task | undefined {
  return (
    explicit(sentence, context) ??
    promise(sentence, context) ??
    named(sentence, context) ??
    request(sentence, context) ??
    shared(sentence, context)
  )
}

function explicit({ text }: Sentence, { people }: Context): Task | undefined {
  const rest = EXPLICIT.exec(text)?.[1]
  if (!rest || text.endsWith('?')) return undefined
  const marked = /(?:action (?:item|point)|to-?do)s?\s*:/i.test(text)
  const [, name, action] = people.pattern
    ? (new RegExp(`^(?:for )?(${people.pattern})(?:,|:| to| will| should)? (.+)$`, 'iu').exec(rest) ?? [])
    : []
  if (name && action) return { action: withoutTo(action), doer: doerNamed(people, name), score: 5, worded: false }
  const other = /^(\p{Lu}\p{Ll}+) (?:to|will) (.+)$/u.exec(rest)
  if (marked && other?.[1] && other[2]) return { action: other[2], doer: { label: other[1] }, score: 5, worded: false }
  if (!marked && !(/\bto /.test(rest.slice(0, 12)) && verbStrength(withoutTo(rest)) === 3)) return undefined
  return { action: withoutTo(rest), doer: 'open', score: 5, worded: false }
}

function promise({ text, question }: Sentence, context: Context): Task | undefined {
  const [, before = '', words = '', action] = PROMISE.exec(text) ?? []
  if (!action || question || isDoubted(before)) return undefined
  const needs = /need|have|should/i.test(words)
  if (needs && verbStrength(action) < 3) return undefined
  return {
    action,
    doer: 'speaker',
    score: rate(text, action, context) - (/let me/i.test(words) ? 1 : /should/i.test(words) ? 0.5 : 0),
    worded: false
  }
}

/** Whether the words before take it back. Of a longer sentence only the clause at hand can. */
function isDoubted(before: string) {
  if (/\b(?:if|unless|suppose|imagine|say)\b|["“]/i.test(before)) return true
  return DOUBTS.test(before.split(/[,;]|\b(?:and|so|but|because|then)\b/i).at(-1) ?? '')
}

/** "Ada will send the offer", "Ada, can you send the offer?" */
function named({ text }: Sentence, context: Context): Task | undefined {
  const { people } = context
  if (!people.pattern) return outsider(text, context)
  const third = new RegExp(
    `^(.*?)(?<!\\p{L})(?:the )?(${people.pattern})(?: designer| expert| manager)?(?:['’]ll| will|['’]s going to| is going to| to| should| needs to| has to| is supposed to)(?: also| then| just)* (.+)$`,
    'iu'
  ).exec(text)
  if (third?.[2] && third[3] && !isDoubted(third[1] ?? '') && !text.endsWith('?')) {
    const task = { action: third[3], doer: doerNamed(people, third[2]), score: rate(text, third[3], context), worded: false }
    if (task.score >= 3) return task
  }
  const called = new RegExp(
    `^(?:.* (?:for|as) )?(?:(?:the|our) )?(${people.pattern})(?: designer| expert| manager)?,?(?: which is \\p{L}+)?,? (?:you|can|could|will|would|please)\\b|, (${people.pattern})[.?!]$`,
    'iu'
  ).exec(text)
  const name = called?.[1] ?? called?.[2]
  const [, , action] = REQUEST.exec(text) ?? []
  if (!name || !action) return outsider(text, context)
  const bare = action.replace(new RegExp(`,? ${people.pattern}(?=[.?!]$)`, 'iu'), '')
  return { action: bare, doer: doerNamed(people, name), score: rate(text, bare, context) + 0.5, worded: false }
}

/** Somebody who does not speak: taken for a person where there is also a day. */
function outsider(text: string, context: Context): Task | undefined {
  const [, name, action] = /^(\p{Lu}\p{Ll}+)(?:['’]ll| will| is going to) (.+)$/u.exec(text) ?? []
  if (!name || !action || !context.due || verbStrength(action) < 3 || OTHER_SUBJECTS.test(name)) return undefined
  return { action, doer: { label: name }, score: rate(text, action, context), worded: false }
}

const OTHER_SUBJECTS =
  /^(?:I|It|We|You|He|She|They|That|This|There|Who|What|Which|Everyone|Everybody|Someone|Somebody|People|These|Those|One|Nobody|Canada|Government|Parliament|Marketing|Sales|Engineering)$/

function request({ text, question, words }: Sentence, context: Context): Task | undefined {
  const [, before = '', action] = REQUEST.exec(text) ?? []
  if (!action || words.length > 30 || isDoubted(before)) return undefined
  const asks = question || /\b(?:please|I need you|like you to|want you to|can you|could you)\b/i.test(text)
  // "You have to press the button" tells how things are.
  const score = rate(text, action, context) - (asks ? 0.5 : 2)
  return { action, doer: 'asked', score, worded: false }
}

function shared({ text, question }: Sentence, context: Context): Task | undefined {
  const [, before = '', action] = SHARED.exec(text) ?? []
  if (!action || question || isDoubted(before) || verbStrength(action) < 3) return undefined
  return { action, doer: 'open', score: rate(text, action, context) - (/\bshould\b/i.test(text) ? 1.5 : 1), worded: false }
}

function rate(text: string, said: string, { due, dueToday, objects }: Context) {
  const action = plainAction(said)
  const strength = verbStrength(action)
  if (strength === 0 || PAST.test(text) || ((!due || dueToday) && NOT_TASKS.test(action))) return 0
  let score: number = strength
  // What is done today is mostly done on the spot.
  if (due && !(dueToday && strength < 3)) score += 2
  else if (LATER.test(text)) score += 1.5
  if (AT_ONCE.test(action) && !due) score -= 3
  if (DANGLING.test(action)) score -= 1.5
  else if (strength === 2.5 && objects(action) >= 2) score += 0.5
  if (/\b(?:maybe|perhaps|probably|might)\b/i.test(text)) score -= 0.5
  return score - (action.split(' ').length > 28 ? 1 : 0)
}

function doerNamed(people: People, name: string): Task['doer'] {
  const label = people.labelOf(name)
  return label === null ? 'open' : { label }
}

function withoutTo(action: string) {
  return action.replace(/^to /i, '')
}
