/** Who does a task: the speaker, the person asked, a named person, or nobody yet. */
export type Doer = 'speaker' | 'asked' | 'nobody' | { name: string }

/** A sentence that commits somebody to something. */
export interface Task {
  /** The sentence from its verb on. */
  action: string
  doer: Doer
  /** 3 and more makes an action item. */
  score: number
}

/** When a task is due, as far as its sentence says. */
export type Due = 'never' | 'today' | 'later'

const LABELLED = /\b(?:action (?:item|point)|to-?do)s?\s*:\s*(.+)$/i
const NAMED = /^(?:and |so )?(\p{Lu}[\p{L}’-]+)(?:['’]ll| will|['’]s going to| is going to| to| should| needs to| has to) (.+)$/u
const PROMISE = /^(.*?)\b(?:I['’]ll|I will|I['’]m going to|I am going to|let me|I (?:need|have) to)\s+(.+)$/i
const REQUEST =
  /^(.*?)(?:(?:can|could|will|would) you(?: guys| all| both)?|\bplease|I need you to|I(?:['’]d| would) like you to|I want you to|you['’]ll (?:need|have) to)\s+(.+)$/i
const SHARED = /^(.*?)\b(?:we (?:need to|have to|should|must)|we(?:['’]ll| will) (?:need|have) to)\s+(.+)$/i
const CALLED = /^(\p{Lu}[\p{L}’-]+), (?:can|could|will|would|please|you)\b|, (\p{Lu}[\p{L}’-]+)[.?!]$/u

/** Words before a promise that take it back; of a longer sentence, in the same clause. */
const CONDITION = /\b(?:if|unless|suppose|imagine|say)\b|["“]/i
const DOUBT =
  /\b(?:whether|would|could|might|(?:do|does|did)n['’]t|not|never|said|says|thought|think you|where|why|how|what|which|who|did|than|as|do|that)\b/i
const PAST = /\b(?:last (?:week|time|month|year)|yesterday|earlier|previously|ago|used to)\b/i
const LATER =
  /\b(?:later|afterwards?|tomorrow|tonight|next (?:week|meeting|time|month|year)|by (?:then|the|next|end)|this (?:week|afternoon|evening)|over the weekend|before (?:the|our|we|you) (?:next|meet|leave|go)|after (?:the|this|our) (?:meeting|call)|as soon as|(?:when|once) (?:I|we) (?:get|have|hear)|offline|in writing)\b/i
const AT_ONCE =
  /\b(?:now|first|quickly|briefly|for a (?:second|minute|moment)|in a (?:second|minute|moment)|(?:right |over )?here|slide|board|for me|hold on)\b/i
const DANGLING =
  /^\S+(?: (?:out|up|on|into|back|with|to|at|off))? (?:it|that|this|them|those|these|one|some|something|things|stuff)\b\W*(?:\S+ ?)?$/i

/** Verbs of work that is done after a conversation; such work once its object is named; such work when it has a day. */
const STRONG_VERB =
  /^(?:send|e-?mail|mail|draft|prepare|(?:re)?schedule|circulate|distribute|forward|upload|submit|publish|review|update|investigate|fix|arrange|organi[sz]e|book|order|buy|contact|consult|share|finish|complete|document|invite|research|compile|collect|deliver|transcribe|summari[sz]e|analy[sz]e|implement|rerun|retrain|double-?check|ship|deploy|print|post|sign|hire|approve|register|translate|renew|cancel|purchase|clarify|(?:follow|look it|sort|chase|type|set|sign) (?:up|out)|look (?:into|up)|find (?:out|an?|some|someone)|check (?:with|on|whether|if)|get back to|get (?:in touch|hold)|put together|write (?:up|to|back|an?|the|some|him|her|them|that up)|take a (?:closer )?look at|get (?:\p{L}+ )?(?:an?|some|the) (?:\p{L}+ )?(?:quote|copy|estimate|answer|numbers)|report back|take care of|work on|send out|hand out|draw up|come up with|figure out|reach out|see (?:if|whether)|let (?:you|everyone|them|him|her|people) know|make sure (?:that|to|the|we)|make (?:an?|the|some) (?:list|copy|copies|draft|appointment|reservation|summary|slides|schedule|plan|prototype))(?!\p{L})/iu
const WORK_VERB =
  /^(?:check|ask|add|make|do|run|get|put|change|generate|measure|compare|record|call|provide|confirm|test|track|ring|phone|pay|clean|copy|create|build|develop|write|collect|label|extract)(?!\p{L})/iu
const WEAK_VERB =
  /^(?:remind|talk|speak|meet|try|bring|give|show|take|look|move|present|go|read|start|continue|discuss|consider|design|think)(?!\p{L})/iu
/** Promises in form only: words about the conversation, and work done on the spot. */
const NOT_A_TASK =
  /^(?:(?:make|take|give|get|do|put|ask|call|show|move|look|think|start|try|read|add|run|talk|bring|write|fix|present|confirm|review|print|check|clarify) (?:it|that|this|you|back to|up here|one (?:more|second)|an example|my best|the (?:floor|point)|and)\b|share (?:(?:my|our|the) (?:time|screen|view)|with you)|finish (?:up|off|there|with|here|my|\.|$)|(?:take|write) (?:the |some )?(?:notes|minutes)|make (?:an?|the|one|some) (?:point|comment|observation|statement|guess|suggestion)|(?:take|give|get|do|ask|make) (?:an?|one|two|some) (?:guess|moment|minute|second|break|question|comment|quick|brief|bit|little|two)|let (?:you|everyone|them) know (?:that|when you)|see (?:if|whether) (?:I|you) can|make sure (?:that )?(?:I|you|it|we) (?:understand|understood|get|got|have|is)|get back to (?:that|this|it|you on|the|my|where|work)|figure out (?:that|this|it|what (?:you|we))|work (?:on )?(?:it|that|this|together|fast|out)|remind (?:members|everyone|the|all|you|people|us|my))/i
const FILLING =
  /^(?:(?:also|then|just|please|maybe|perhaps|definitely|probably|certainly|actually|quickly|really|go ahead and|try to|try and|have to|need to|be sure to|all|both|guys|so)[\s,]+)+/i
/** Where a promise ends and the talk about it begins. */
const TAIL =
  /[;:—–].*$|,? \b(?:because|since|although|though|but|unless|whereas|while)\b.*$|,? (?:so|which|if|when|as|and|and then|where|once) (?:that|I|we|you|it|they|there|he|she|this|is|(?:I|we|you|it|that|they)['’]\p{L}+)\b.*$|,? and (?:the|our) [^,]{1,40}? (?:is|are|will) .*$|,? and \p{Lu}\p{Ll}+(?:['’]s|['’]ll| will| is) .*$|, (?:how|what|where|just|I|we|you|it|that|this|they|there|he|she|so|okay|right|yeah|or|well|you know|I mean|like|actually)\b.*$/iu
const TAIL_WORDS =
  /(?<![\s,])[\s,]+(?:then|too|so|and|but|as well|for you(?: guys| all)?|okay|right|please|also|anyway|again|you know|for sure|if possible|maybe|though|probably|at some point|as soon(?: as possible)?|I (?:think|guess))\s*[.?!]*$/i
/** Dates that stand without a preposition, or bring their own. */
const BARE_DATE = /^(?:next|this|tomorrow|today|tonight|in |within |the day after|by |before |on )/i

/** The task in an English sentence, if there is one. `countObjects` counts the words of an action that carry a topic. */
export function readEnglishTask(text: string, due: Due, countObjects: (action: string) => number): Task | undefined {
  const score = (action: string) => scoreTask(text, action, due, countObjects)
  const [, label] = LABELLED.exec(text) ?? []
  const [, name, act] = NAMED.exec(label ?? text) ?? []
  if (label && !text.endsWith('?')) return { action: act ?? label.replace(/^to /i, ''), doer: name ? { name } : 'nobody', score: 5 }
  if (name && act && !text.endsWith('?')) return { action: act, doer: { name }, score: score(act) }
  const [, beforePromise = '', promised] = PROMISE.exec(text) ?? []
  if (promised && !text.endsWith('?') && !isDoubted(beforePromise)) {
    return { action: promised, doer: 'speaker', score: score(promised) - (/\blet me\b/i.test(text) ? 1 : 0) }
  }
  const [, beforeRequest = '', asked] = REQUEST.exec(text) ?? []
  if (asked && !isDoubted(beforeRequest)) {
    const [, first, last] = CALLED.exec(text) ?? []
    const called = first ?? last
    const action = last ? asked.replace(`, ${last}`, '') : asked
    return { action, doer: called ? { name: called } : 'asked', score: score(action) + (called ? 0.5 : -0.5) }
  }
  const [, beforeShared = '', shared] = SHARED.exec(text) ?? []
  if (!shared || text.endsWith('?') || isDoubted(beforeShared) || !STRONG_VERB.test(plainAction(shared))) return undefined
  return { action: shared, doer: 'nobody', score: score(shared) - 1 }
}

/** The action from its verb on: "be working on it" becomes "work on it". */
export function plainAction(action: string): string {
  const bare = action.replace(FILLING, '')
  return bare.replace(/^be (\p{L}+)ing\b/iu, (whole, stem: string) => {
    const forms = [`${stem}e`, stem.slice(0, -1), stem]
    return forms.find(form => [STRONG_VERB, WORK_VERB, WEAK_VERB].some(verb => verb.test(form)) || form === 'work') ?? whole
  })
}

function isDoubted(before: string) {
  return CONDITION.test(before) || DOUBT.test(before.split(/[,;]|\b(?:and|so|but|because|then)\b/i).at(-1) ?? '')
}

function scoreTask(text: string, said: string, due: Due, countObjects: (action: string) => number) {
  const action = plainAction(said)
  const isStrong = STRONG_VERB.test(action)
  const isWork = WORK_VERB.test(action)
  if (!(isStrong || isWork || WEAK_VERB.test(action)) || PAST.test(text) || (due !== 'later' && NOT_A_TASK.test(action))) return 0
  let score = isStrong ? 3 : isWork ? 2.5 : 2
  // Work for today is mostly done on the spot.
  if (due === 'later' || (due === 'today' && isStrong)) score += 2
  else if (LATER.test(text)) score += 1.5
  if (due === 'never' && AT_ONCE.test(action)) score -= 3
  if (DANGLING.test(action)) score -= 1.5
  else if (isWork && !isStrong && countObjects(action) >= 2) score += 0.5
  return score - (/\b(?:maybe|perhaps|probably|might)\b/i.test(text) ? 0.5 : 0)
}

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
