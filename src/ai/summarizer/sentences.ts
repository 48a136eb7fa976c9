import type { Segment } from '../../core/segment.ts'
import { splitSentences } from '../../core/sentences.ts'
import { cleanSentence, stripMarkup } from './clean.ts'
import { type Language, termsOf, UNSPACED_SCRIPT, wordsOf } from './language.ts'

export interface Sentence {
  speaker: string
  /** Index of the segment in which it begins. */
  segment: number
  /** Its own index in the conversation. */
  index: number
  text: string
  isQuestion: boolean
  /** Neither end is missing. */
  isSound: boolean
  /** Sound, and understandable alone. */
  isComplete: boolean
  words: string[]
  /** Stems of the words that carry a topic. */
  terms: string[]
}

interface Turn {
  speaker: string
  /** The text with a line break for each pause. */
  text: string
  /** The place in the text where each of its segments begins. */
  starts: { offset: number; segment: number }[]
}

export const MAX_SENTENCE_CHARACTERS = 1200
const PIECE = new RegExp(`.{1,${MAX_SENTENCE_CHARACTERS}}`, 'gsu')
const MIN_PAUSE_SECONDS = 0.7
/** The blank before words with which people go on, in a long stretch of a transcript without punctuation. */
const GOING_ON = /(?<=(?:\S+ ){8}\S+) (?=(?:so|but|and then|okay|now|anyway) )/g
const BACK_CHANNEL =
  /^(?:[\s,.!-]*(?:yeah|yes|yep|okay|ok|right|mm+|hm+|mhm|uh|huh|sure|cool|good|great|no|alright|exactly|oh|ah|um|true|i see|so|well|fine|nice|ja|genau|oui|sí|si|vale)(?!\p{L})){1,4}[\s,.!-]*$/iu
const MAX_BACK_CHANNEL_CHARACTERS = 40
const MIN_WORDS = 6
const MAX_WORDS = 40
const MIN_UNSPACED_CHARACTERS = 10
const MAX_COMPLETE_CHARACTERS = 280

const TORN_START =
  /^(?:which|because|than|n?or|whose|whom|of|until|unless|whereas|'cause|is|are|was|were|has|have|had|did|does|do|would|could|should|will|can|be|been|being|me|us|him|them|may|might|must|such|rather|either|likewise|together|more|less|with|where|who|whatever)(?: |$)/
const TORN_END =
  /(?:^| )(?:the|an?|and|or|but|of|to|in|on|at|for|with|from|by|as|if|which|so|because|than|like|my|your|our|their|his|its|is|are|was|were|be|been|i|we|he|she|they|very|just|um|into|onto|about|between|not|really|quite|such|any|every|each|whose|whether|also|then|'s|(?:it|that|there|what|he|she)'s|i'm|(?:we|they|you)'re|(?:i|we|you|they)'(?:ve|ll)|more|most|will|would|can|could|should|may|might|must|don't|doesn't|didn't|how|why|what|when|where|who|have|has|had|does|did|got|get|going)$/
/** Signs of a sentence begun twice: "we could we should", "I what I", "the it". */
const BEGUN_TWICE =
  /\b(?:the|an?|my|our) (?:i|we|you|it|he|she|they|is|are|was|and|or|but|so|to|of|that's|there's|if|because|the|an?)\b|\b(?:i|we|they|he|she) (?:i|we|they|he|she|what|it's|that's|the|an?|i'm|we're|well|so|okay)\b|\b(?:is|are|was) (?:is|are|was|i|it's|i'm|you're)\b|\b(?:it's|that's|there's) (?:it's|that's|there's|i|we|is|it|they|you)\b|\b(?:and|or|but) (?:and|or|but)\b/
const SUBORDINATE = /^(?:who|how|why|when|as|having|being|if|while|after|before|once)(?:'s)?(?: |$)/
const BARE_VERB =
  /^(?:need|want|know|try|think|make|get|give|take|put|see|say|mean|seem|let|go|come|keep|find|tell|ask|look|use|pay|hope|guess|wonder|depends|means|seems|looks|trying|going|looking|making|getting|thinking|talking|saying|just|opposed|based|according|got|went|had|did|said|saw|came)(?: |$)/
/** A frequent finite verb, a contracted one, or the word after a pronoun. */
const VERB =
  /(?:^| )(?:is|are|was|were|am|has|have|had|do|does|did|will|would|can|could|should|shall|may|might|must|cannot|needs|wants|means|seems|makes|made|goes|went|gets|got|takes|took|gives|gave|says|said|keeps|kept|comes|came|finds|found|lets|depends|shows|includes|requires|happened|[^ ]+(?:'(?:m|re|ve|ll|d)|n't)|(?:it|that|he|she|there|what|who|here|this|everything|let)'s|(?:i|we|you|they|he|she|it|who|people) [^ ]+)(?: |$)/
const QUESTION =
  /^(?:if .*, )?(?:(?:is|are|was|were|do|does|did|can|could|should|shall|would|will|has|have|had|might|may)(?:n't)? |what|which|who|whose|how |why |where|when|(?:in|on|at|for|by|to|with|of) (?:what|which|whom))/

/** Splits a conversation into cleaned sentences. A listener's "yeah" inside a sentence does not split it. */
export function readSentences(segments: readonly Segment[], language: Language): Sentence[] {
  const turns = joinTurns(segments)
  const isPunctuated = turns.filter(({ text }) => /[.?!。！？]/u.test(text)).length >= turns.length / 4
  const sentences = turns.flatMap(({ speaker, text, starts }) => {
    const line = isPunctuated ? text.replaceAll('\n', ' ') : text.replace(GOING_ON, '\n')
    let next = 0
    return splitSentences(line, language.code).flatMap(({ text: raw, start }) => {
      while ((starts[next + 1]?.offset ?? Number.POSITIVE_INFINITY) <= start) next++
      const segment = starts[next]?.segment ?? 0
      return (raw.match(PIECE) ?? []).flatMap(piece => {
        const cleaned = cleanSentence(piece, language)
        const isEnded = !isPunctuated || /[.?!。！？]["'”’»)]*$/u.test(piece)
        return cleaned === undefined ? [] : [{ speaker, segment, ...analyze(cleaned, isEnded, language) }]
      })
    })
  })
  return sentences.map((sentence, index) => ({ ...sentence, index }))
}

function analyze(text: string, isEnded: boolean, language: Language) {
  const words = wordsOf(text)
  const sound = isEnded && isSound(text, words, language.isEnglish)
  return {
    text,
    isQuestion: /[?？]$/.test(text),
    isSound: sound,
    isComplete: sound && isComplete(text, words, language.isEnglish),
    words,
    terms: termsOf(words, language)
  }
}

/** Joins the segments of one speaker in a row, across the listeners' interjections. */
function joinTurns(segments: readonly Segment[]): Turn[] {
  const turns: Turn[] = []
  for (const [index, segment] of segments.entries()) {
    const text = stripMarkup(segment.text)
    const last = turns.at(-1)
    const isContinued = last?.speaker === segment.speaker
    const isBackChannel = !isContinued && text.length <= MAX_BACK_CHANNEL_CHARACTERS && BACK_CHANNEL.test(text)
    if (text === '' || isBackChannel) continue
    if (isContinued) {
      last.starts.push({ offset: last.text.length + 1, segment: index })
      last.text += (followsPause(segments[index - 1], segment) ? '\n' : ' ') + text
    } else turns.push({ speaker: segment.speaker, text, starts: [{ offset: 0, segment: index }] })
  }
  return turns
}

function followsPause(before: Segment | undefined, { speaker, start }: Segment) {
  return before?.speaker !== speaker || start === null || before.end === null || start - before.end > MIN_PAUSE_SECONDS
}

/** Whether a cleaned sentence has both its ends and is not begun twice. */
function isSound(text: string, words: readonly string[], isEnglish: boolean): boolean {
  if ((text.match(/["“”]/g)?.length ?? 0) % 2 !== 0 || text.split('(').length !== text.split(')').length) return false
  if (!isEnglish) return !/[,;:–—-][.?!]$/u.test(text)
  const line = words.join(' ')
  return !/[,;:–—-][.?!]$/u.test(text) && !TORN_END.test(line) && (text.endsWith('?') || !TORN_START.test(line)) && !BEGUN_TWICE.test(line)
}

/** Whether a sound sentence can stand alone: it has a readable length, and in English a verb and its subject. */
function isComplete(text: string, words: readonly string[], isEnglish: boolean): boolean {
  if (UNSPACED_SCRIPT.test(text)) return text.length >= MIN_UNSPACED_CHARACTERS && text.length <= MAX_COMPLETE_CHARACTERS / 2
  if (words.length < MIN_WORDS || words.length > MAX_WORDS || text.length > MAX_COMPLETE_CHARACTERS) return false
  if (!isEnglish) return true
  const line = words.join(' ')
  if (text.endsWith('?')) return QUESTION.test(line)
  return VERB.test(line) && !BARE_VERB.test(line) && (!SUBORDINATE.test(line) || text.includes(','))
}
