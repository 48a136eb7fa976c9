import type { Segment } from '../../core/segment.ts'
import { splitSentences } from '../../core/sentences.ts'
import { cleanSentence, stripMarkup } from './clean.ts'
import { type Language, termsOf, wordsOf } from './language.ts'
import { isComplete, isSound } from './soundness.ts'

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
  text: string
  /** Where in the text each of its segments begins. */
  starts: { offset: number; segment: number; followsPause: boolean }[]
}

export const MAX_SENTENCE_CHARACTERS = 1200
const PIECE = new RegExp(`.{1,${MAX_SENTENCE_CHARACTERS}}`, 'gsu')
const MIN_PAUSE_SECONDS = 0.7
const BACK_CHANNEL =
  /^(?:[\s,.!-]*(?:yeah|yes|yep|okay|ok|right|mm+|hm+|mhm|uh|huh|sure|cool|good|great|no|alright|exactly|oh|ah|um|true|i see|so|well|fine|nice|ja|genau|oui|sí|si|vale)(?!\p{L})){1,4}[\s,.!-]*$/iu
const MAX_BACK_CHANNEL_CHARACTERS = 40

/** Splits a conversation into cleaned sentences. A listener's "yeah" inside a sentence does not split it. */
export function readSentences(segments: readonly Segment[], language: Language): Sentence[] {
  const turns = joinTurns(segments)
  const isPunctuated = turns.filter(({ text }) => /[.?!。！？]/u.test(text)).length >= turns.length / 4
  const sentences = turns.flatMap(({ speaker, text, starts }) => {
    let next = 0
    return (isPunctuated ? splitSentences(text, language.code) : splitAtPauses(text, starts)).flatMap(({ text: raw, start }) => {
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
      last.starts.push({ offset: last.text.length + 1, segment: index, followsPause: followsPause(segments[index - 1], segment) })
      last.text += ` ${text}`
    } else turns.push({ speaker: segment.speaker, text, starts: [{ offset: 0, segment: index, followsPause: true }] })
  }
  return turns
}

function followsPause(before: Segment | undefined, { speaker, start }: Segment) {
  return before?.speaker !== speaker || start === null || before.end === null || start - before.end > MIN_PAUSE_SECONDS
}

/** For a transcript without punctuation: splits at pauses, and inside long stretches before the words that people go on with. */
function splitAtPauses(text: string, starts: Turn['starts']) {
  const cuts = starts.filter(({ followsPause }) => followsPause).map(({ offset }) => offset)
  return cuts.flatMap((cut, at) => {
    const parts = text.slice(cut, cuts[at + 1]).split(/(?<=(?:\S+ ){9})(?=(?:so|but|and then|okay|now|anyway) )/)
    let end = cut
    return parts.map(part => {
      end += part.length
      return { text: part, start: end - part.length }
    })
  })
}
