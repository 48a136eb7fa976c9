/** Finds decisions: statements of decisions, and proposals that others take up. */
import type { Segment } from '../../text/segment.ts'
import { resolveObject } from './antecedent.ts'
import { stripMarkup } from './clean.ts'
import { isTerm, type Language, lowerCaseWords, stem } from './language.ts'
import * as other from './other-languages.ts'
import { pickBest } from './picking.ts'
import type { Sentence } from './sentences.ts'

const MAX_DECISIONS = 5
/** A statement needs nothing else; a proposal counts if somebody agrees, or where a long conversation sums up. */
const STATED_SCORE = 3
const PROPOSED_SCORE = 2
const INTENDED_SCORE = 1
const MIN_SCORE = 3
/** Somebody agrees within so many replies and segments, with their first words. */
const MAX_REPLIES = 3
const REPLY_SEGMENTS_WITH_SOUNDS = 5
const REPLY_CHARACTERS = 80
const MIN_LONG = 40
const END_FROM = 0.8
/** Sentences before a decision that may name what it is about. */
const BEFORE = 3

const STATED =
  /\b(?:we(?:['’]ve| have| had)?(?: (?:all|already|also|basically|just|more or less|pretty much|now|sort of|kind of|then|finally|both|actually))* (?:decided|agreed|settled|opted|determined|concluded) (?:to|on|upon|that|not|for|against|we)|(?:it|this|that|which) (?:is|was|has been) (?:now |already )?(?:decided|agreed|settled) (?:to|on|upon|that|not|for|against|we)|(?:is|was|were|has been|have been) (?:decided|agreed|settled|adopted)\b|(?:the|our) (?:final |main )?(?:decision|conclusion|consensus)(?: (?:we|that we) (?:took|made|reached|came to))? (?:is|was)(?: (?:that|to))?|what we(?:['’]ve| have)?(?: basically| all)? (?:decided|agreed|settled)(?: on| to)? (?:is|was)|we(?:['’]re| are)(?: all)? agreed (?:on|that|to))/i
const PROPOSED =
  /\b(?:let['’]s (?:just |all |also )?(?:go (?:with|for)|use|keep|stick (?:with|to)|drop|skip|leave out|make (?:it|the|our|this|that|them)|have (?:our|the|an?|two|three|four))|we(?:['’]ll| will| shall|['’]re going to| are going to)(?: just| then| definitely| also| only)* (?:go (?:with|for|ahead with)|use|stick (?:with|to)|drop|skip|leave out|not (?:use|have|include)|include)|we(?:['’]re| are)(?: just| then)* going (?:with|for)|we(?:['’]ve| have) (?:gone|settled) (?:with|for|on)|we (?:just |then )?(?:go with|go for|stick (?:with|to)))\b/i
/** A proposal in the form of a question, with the words of a statement. */
const ASKED = /^we(?:['’]ll| will|['’]re| are| go) /i
/** A proposal, or the sum of a discussion. */
const INTENDED =
  /\b(?:we should(?: just| then| definitely| also| only| probably)* (?:go (?:with|for)|use|keep|stick (?:with|to)|drop|skip|leave out|target|focus on|have)|we(?:['’]ll| will|['’]re going to| are going to)(?: just| then| definitely| also| only)* (?:have|make|keep|put|target|focus on|do without)|we (?:go for|go with|don['’]t need|do not need))\b/i
/** Words before a decision that take it back: it is to come, or it is somebody's wish. */
const TAKEN_BACK =
  /(?:\b(?:if|whether|unless|would|could|might|may|maybe|perhaps|suppose|imagine|\w+n['’]t|not|never|until|when|once|before|should|can|must|need|want|wonder\w*|depends?|says?|said|why|how|which|where|who)\b|["“„«‘])/i
/** Words after it that leave it open. */
const OPEN = /\b(?:if|unless|whether|or not|let['’]s say|for example|for instance|depend\w*|wonder\w*)\b/i
/** Words about the conversation itself, not its subject. */
const OF_THE_CALL =
  /\b(?:lunch|a break|party|(?:this|next|the|last|each) meetings?|agenda|slides?|(?:have|take) a look|presentations?|present|talk|discuss|discussion|for example|questions?|vote|minutes|a second|a moment|for now|quickly|individual actions?|start with|move on|your turn|white ?board|next speaker|draw|let['’]s say|have to|hopefully|on time|letter)\b/i
const AGREEING =
  /^\W*(?:yeah|yes|yep|okay|ok|sure|agreed|alright|all right|right|fine|good|great|cool|perfect|exactly|definitely|absolutely|I agree|that['’]s (?:fine|good|right|it)|sounds good|mm-hmm|mm hmm)\b/i
const CONSENT =
  /^\W*(?:(?:yeah|yes|okay|ok|oh|well|no)\W+)*(?:I agree|agreed|(?:that['’]s |it['’]s )?(?:a )?(?:very |really )?good idea|sounds good|that['’]s (?:it|settled|decided|fine)|definitely|absolutely|let['’]s do|I think so|we (?:should|can) do that|alright then|fair enough|perfect)\b/i
const DECIDING = new Set(
  ['decide', 'decided', 'decision', 'agree', 'agreed', 'settled', 'conclusion', 'consensus'].map(stem)
)
/** A decision names its subject with this many words. */
const MIN_TERMS = 2

/** The sentences that settle something, with what they are about. */
export function pickDecisions(sentences: readonly Sentence[], segments: readonly Segment[], language: Language) {
  if (!language.isEnglish) {
    const found = sentences.filter(({ isComplete, isQuestion, text }) => {
      return isComplete && !isQuestion && other.DECIDED.test(text)
    })
    return pickBest(found, MAX_DECISIONS, ({ terms }) => terms.length)
  }
  const scores = new Map<number, number>()
  const found = sentences.flatMap(sentence => {
    const isAsked = sentence.isQuestion && ASKED.test(sentence.text)
    if (!(isAsked ? sentence.isSound : sentence.isComplete && !sentence.isQuestion)) return []
    const cue = readCue(isAsked ? sentence.text.replace(/\?$/, '.') : sentence.text)
    if (!cue || (isAsked && cue.score !== PROPOSED_SCORE)) return []
    const before = sentences.slice(Math.max(0, sentence.index - BEFORE), sentence.index)
    const named = nameSubject(cue, before, language)
    if (!named) return []
    // In a short conversation nothing is said without consequence.
    const isNearEnd = sentences.length < MIN_LONG || sentence.index >= sentences.length * END_FROM
    const score = cue.score + Number(isNearEnd) + agreement(sentence, segments)
    if (score < MIN_SCORE) return []
    scores.set(sentence.index, score)
    return [{ ...sentence, ...named, lines: [...named.lines, ...sentence.lines] }]
  })
  return pickBest(found, MAX_DECISIONS, ({ index, terms }) => (scores.get(index) ?? 0) * 10 + terms.length)
}

interface Cue {
  /** The sentence up to the end of the words that say that something is decided. */
  head: string
  /** The decided thing. */
  rest: string
  score: number
}

function readCue(text: string): Cue | undefined {
  const stated = STATED.exec(text)
  const proposed = stated ? null : PROPOSED.exec(text)
  const found = stated ?? proposed ?? INTENDED.exec(text)
  if (!found) return undefined
  const before = text.slice(0, found.index)
  const end = found.index + found[0].length
  const rest = text.slice(end)
  if (TAKEN_BACK.test(before.slice(clauseStart(before))) || OPEN.test(rest)) return undefined
  if (OF_THE_CALL.test(stated ? rest : found[0] + rest)) return undefined
  // A statement says it all from its subject on: "I think we decided to move" is that they decided to.
  const start = stated && /^(?:we|the|our|what)\b/i.test(found[0]) ? found.index : 0
  return {
    head: text.charAt(start).toUpperCase() + text.slice(start + 1, end),
    rest,
    score: stated ? STATED_SCORE : proposed ? PROPOSED_SCORE : INTENDED_SCORE
  }
}

function clauseStart(before: string) {
  return [...before.matchAll(/[,;:]\s|\b(?:but|so|because|since)\b/gi)].at(-1)?.index ?? 0
}

/** The sentence, with a pronoun for the decided thing replaced by its name, and the lines that name it; undefined if nothing does. */
function nameSubject({ head, rest }: Cue, before: readonly Sentence[], language: Language) {
  const verb = / (?:to|on|with|for|use|keep|drop|skip|include)$/i.exec(head)?.[0].trim() ?? ''
  const action = `${/^(?:to|that|we)$/i.test(verb) ? '' : verb}${rest}`.trim()
  const resolved = resolveObject(action, before, language)
  const text = resolved
    ? `${head.slice(0, head.length - (action === rest.trim() ? 0 : verb.length)).trim()} ${resolved.text}`
    : head + rest
  const terms = lowerCaseWords(resolved?.text ?? action).filter(
    word => isTerm(word, language) && !DECIDING.has(stem(word))
  )
  return new Set(terms).size >= MIN_TERMS ? { text, lines: resolved?.lines ?? [] } : undefined
}

/** How clearly others agree: 2 in words, 1 with a yes. Laughter and other sounds are no replies. */
function agreement({ speaker, lines, segment }: Sentence, segments: readonly Segment[]) {
  const last = lines.at(-1) ?? segment
  const replies = segments
    .slice(last + 1, last + 1 + REPLY_SEGMENTS_WITH_SOUNDS)
    .filter(next => next.speaker !== speaker)
    .map(({ text }) => stripMarkup(text.slice(0, REPLY_CHARACTERS)))
    .filter(text => /\p{L}/u.test(text))
    .slice(0, MAX_REPLIES)
  if (replies.some(text => CONSENT.test(text))) return 2
  return Number(replies.some(text => AGREEING.test(text)))
}
