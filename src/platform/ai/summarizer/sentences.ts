import type { Segment } from '../../text/segment.ts'
import { splitSentences } from '../../text/sentences.ts'
import { cleanSentence, isBroken, stripMarkup } from './clean.ts'
import words from './english-words.json' with { type: 'json' }
import { type Language, lowerCaseWords, stem, termsOf, UNSPACED_SCRIPT } from './language.ts'

export interface Sentence {
  speaker: string
  /** Index of the segment in which it begins. */
  segment: number
  /** Indexes of all segments of which it has words. */
  lines: number[]
  /** Its own index in the conversation. */
  index: number
  text: string
  isQuestion: boolean
  /** The speaker neither paused nor began again. */
  isFluent: boolean
  /** Neither end is missing. */
  isSound: boolean
  /** Sound, and understandable alone. */
  isComplete: boolean
  words: string[]
  /** Stems of the words that carry a topic. */
  terms: string[]
}

interface SpeakerTurn {
  speaker: string
  /** A line for each segment. */
  text: string
  /** The place in the text where each of its segments begins. */
  starts: { offset: number; segment: number }[]
}

export const MAX_SENTENCE_CHARACTERS = 1200
const PIECE = new RegExp(`.{1,${MAX_SENTENCE_CHARACTERS}}`, 'gsu')
/** The space before words that continue speech, in a long stretch of a transcript without punctuation. */
const GOING_ON = /(?<=(?:\S+ ){8}\S+) (?=(?:so|but|and then|okay|now|anyway) )/g
const BACK_CHANNEL =
  /^(?:[\s,.!-]*(?:yeah|yes|yep|okay|ok|right|mm+|hm+|mhm|uh|huh|sure|cool|good|great|no|alright|exactly|oh|ah|um|true|i see|so|well|fine|nice|ja|genau|oui|sí|si|vale)(?!\p{L})){1,4}[\s,.!-]*$/iu
/** Japanese ends a question with a particle, and seldom with a mark. */
const JAPANESE_QUESTION = /(?:です|ます|でした|ました|でしょう|ましょう|ません)か。$/u
const MIN_WORDS = 6
const MAX_WORDS = 40
const MIN_UNSPACED_CHARACTERS = 10
const MAX_COMPLETE_CHARACTERS = 280

const TORN_START = new Set(words.tornStart.map(stem))
const TORN_END = new Set(words.tornEnd)
const VERBS = new Set(words.verbs)
const AUXILIARY =
  /^(?:am|is|are|was|were|has|have|had|does|did|will|would|can|could|shall|should|may|might|must|\w+n't)$/
const CONTRACTED_VERB = /'(?:m|re|ve|ll|d)$|^(?:it|that|he|she|there|what|who|here|this|everything|let)'s$/
const PRONOUN = /^(?:i|we|you|they|he|she|it|who|people)$/
const QUESTION_WORD = /^(?:do|what|which|who|how|why|where|when)(?:'s)?$/

/** Splits a conversation into cleaned sentences. A listener's "yeah" inside a sentence does not split it. */
export function readSentences(segments: readonly Segment[], language: Language): Sentence[] {
  const turns = joinTurns(segments)
  const isPunctuated = turns.filter(({ text }) => /[.?!。！？؟।]/u.test(text)).length >= turns.length / 4
  const sentences = turns.flatMap(({ speaker, text, starts }) => {
    const line = isPunctuated ? text.replaceAll('\n', ' ') : text.replace(GOING_ON, '\n')
    const linesOf = openLines(starts)
    return splitSentences(line, language.code).flatMap(({ text: raw, start }) => {
      let end = start
      return (raw.match(PIECE) ?? []).flatMap(piece => {
        const lines = linesOf(end, end + piece.trimEnd().length)
        end += piece.length
        const cleaned = cleanSentence(piece, language)
        const isEnded = !isPunctuated || /[.?!。！？؟।]["'”’»)]*$/u.test(piece)
        if (cleaned === undefined) return []
        return [
          { speaker, segment: lines[0] ?? 0, lines, isFluent: !isBroken(piece), ...analyze(cleaned, isEnded, language) }
        ]
      })
    })
  })
  return sentences.map((sentence, index) => ({ ...sentence, index }))
}

/** Returns what finds the segments of one stretch of a turn after the other. */
function openLines(starts: SpeakerTurn['starts']) {
  let next = 0
  return (from: number, to: number) => {
    while ((starts[next + 1]?.offset ?? Number.POSITIVE_INFINITY) <= from) next++
    const first = next
    while ((starts[next + 1]?.offset ?? Number.POSITIVE_INFINITY) < to) next++
    return starts.slice(first, next + 1).map(({ segment }) => segment)
  }
}

function analyze(text: string, isEnded: boolean, language: Language) {
  const words = lowerCaseWords(text)
  const sound = isEnded && isSound(text, words, language.isEnglish)
  const complete = sound && isComplete(text, words, language.isEnglish)
  return {
    text,
    isQuestion: /[?？؟]$/.test(text) || (language.code === 'ja' && JAPANESE_QUESTION.test(text)),
    isSound: sound,
    isComplete: complete,
    words,
    terms: termsOf(words, language)
  }
}

/** Joins the segments of one speaker in a row, across the listeners' interjections. */
function joinTurns(segments: readonly Segment[]): SpeakerTurn[] {
  const turns: SpeakerTurn[] = []
  for (const [index, segment] of segments.entries()) {
    const text = stripMarkup(segment.text)
    const last = turns.at(-1)
    const isContinued = last?.speaker === segment.speaker
    if (text === '' || (!isContinued && BACK_CHANNEL.test(text))) continue
    if (isContinued) {
      last.starts.push({ offset: last.text.length + 1, segment: index })
      last.text += `\n${text}`
    } else turns.push({ speaker: segment.speaker, text, starts: [{ offset: 0, segment: index }] })
  }
  return turns
}

/** Returns whether a cleaned sentence has both its ends. */
function isSound(text: string, words: readonly string[], isEnglish: boolean): boolean {
  const isClosed = (text.match(/["“”]/g)?.length ?? 0) % 2 === 0 && text.split('(').length === text.split(')').length
  if (!isClosed || !isEnglish) return isClosed
  const [first = '', last = ''] = [words[0], words.at(-1)]
  const isTornStart = AUXILIARY.test(first) || TORN_START.has(stem(first))
  const isTornEnd = AUXILIARY.test(last) || TORN_END.has(last)
  return !isTornEnd && (!isTornStart || text.endsWith('?'))
}

/** Returns whether a sound sentence can stand alone: it has a readable length, and in English a verb and its subject. */
function isComplete(text: string, words: readonly string[], isEnglish: boolean): boolean {
  if (UNSPACED_SCRIPT.test(text))
    return text.length >= MIN_UNSPACED_CHARACTERS && text.length <= MAX_COMPLETE_CHARACTERS / 2
  if (words.length < MIN_WORDS || words.length > MAX_WORDS || text.length > MAX_COMPLETE_CHARACTERS) return false
  if (!isEnglish) return true
  const [first = ''] = words
  if (text.endsWith('?')) return AUXILIARY.test(first) || QUESTION_WORD.test(first)
  return words.some((word, at) => {
    return AUXILIARY.test(word) || CONTRACTED_VERB.test(word) || VERBS.has(word) || PRONOUN.test(words[at - 1] ?? '')
  })
}
