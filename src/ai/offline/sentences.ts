import type { Segment } from '../../core/segment.ts'
import { BREAK, cleanSentence, isSpaced, LOST, stripMarkup } from './clean.ts'
import { isSound, isWhole } from './whole.ts'
import type { Lexicon } from './words/lexicon.ts'

export interface Sentence {
  speaker: string
  /** Index of the segment in which it begins. */
  segment: number
  /** Number of the turn it belongs to, and of the sentence itself, both over the conversation. */
  turn: number
  at: number
  text: string
  question: boolean
  /** Not torn. */
  sound: boolean
  /** Not torn, and long and clear enough to stand alone. */
  whole: boolean
  words: string[]
  /** Stems of the words that carry meaning. */
  terms: string[]
}

interface Turn {
  speaker: string
  text: string
  /** Where in the text each of its segments begins. */
  starts: { offset: number; segment: number /** Something lies before it. */; pause: boolean }[]
}

/** The conversation in sentences, in order. Listeners' "yeah" between the parts of a sentence does not tear it. */
export function sentencesOf(segments: readonly Segment[], lexicon: Lexicon): Sentence[] {
  const spaced = isSpaced(segments.map(({ text }) => text))
  const turns = turnsOf(segments, lexicon, spaced)
  const sentences: Sentence[] = []
  const punctuated = isPunctuated(turns)
  for (const [turn, { speaker, text, starts }] of turns.entries()) {
    let next = 0
    for (const { offset, raw } of punctuated ? split(text, lexicon.code) : splitUnmarked(text, starts)) {
      while ((starts[next + 1]?.offset ?? Number.POSITIVE_INFINITY) <= offset) next++
      const cleaned = cleanSentence(raw, lexicon)
      if (cleaned === undefined) continue
      const words = wordsOf(cleaned, lexicon.code)
      const ended = !punctuated || /[.?!。！？]["'”’»)]*\s*$/u.test(raw)
      const sound = ended && isSound(cleaned, words, lexicon)
      sentences.push({
        speaker,
        segment: starts[next]?.segment ?? 0,
        turn,
        at: sentences.length,
        text: cleaned,
        question: /[?？]$/.test(cleaned),
        sound,
        whole: sound && isWhole(cleaned, words, lexicon),
        words,
        terms: termsOf(words, lexicon)
      })
    }
  }
  return sentences
}

function turnsOf(segments: readonly Segment[], lexicon: Lexicon, spaced: boolean): Turn[] {
  const turns: Turn[] = []
  for (const [index, segment] of segments.entries()) {
    const text = stripMarkup(segment.text, spaced).replace(/\s+/g, ' ').trim()
    if (text === '' || (isBackChannel(text, lexicon) && turns.at(-1)?.speaker !== segment.speaker)) continue
    const open = turns.at(-1)
    if (open?.speaker === segment.speaker) {
      open.starts.push({ offset: open.text.length + 1, segment: index, pause: isPause(segments[index - 1], segment) })
      open.text += ` ${text}`
    } else turns.push({ speaker: segment.speaker, text, starts: [{ offset: 0, segment: index, pause: true }] })
  }
  return turns
}

const PAUSE_SECONDS = 0.7

function isPause(before: Segment | undefined, { speaker, start }: Segment) {
  if (before?.speaker !== speaker || start === null || before.end === null) return true
  return start - before.end > PAUSE_SECONDS
}

const BACK_CHANNELS = new Set(
  'yeah yes yep okay ok right mm mm-hmm mhm hmm uh-huh sure cool good great no alright exactly oh ah um uh true i see so well fine nice ja genau oui sí si vale hm'.split(
    ' '
  )
)

function isBackChannel(text: string, { fillers }: Lexicon) {
  if (text.includes('?')) return false
  const words = text.toLowerCase().match(/[\p{L}\p{N}'’-]+/gu) ?? []
  return words.length <= 4 && words.every(word => BACK_CHANNELS.has(word) || fillers.has(word)) && !/\p{Script=Han}/u.test(text)
}

/** Some transcripts have no full stops at all; their turns are taken as they come. */
function isPunctuated(turns: readonly Turn[]) {
  const ends = turns.filter(({ text }) => /[.?!。！？]/u.test(text)).length
  return ends >= turns.length / 4
}

const ABBREVIATION =
  /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|Hon|St|Sr|Jr|vs|etc|e\.g|i\.e|No|approx|bzw|z\.B|d\.h|Nr|Hr|Fr|M|Mme|Sra|[\p{Lu}])\.$/u
/** More than any abbreviation has: looking no further back keeps the time linear. */
const ABBREVIATION_CHARACTERS = 12
export const LONGEST_SENTENCE = 1200
const STRETCH = new RegExp(`.{1,${LONGEST_SENTENCE}}`, 'gsu')

function* split(text: string, code: string): Generator<{ offset: number; raw: string }> {
  let start = 0
  const boundary =
    code === '' ? /(?<![.?!])[.?!]+["'”’»)]*(?=\s|$)|[。！？!?]+[」』”]?|[।؟۔]/gu : /(?<![.?!])[.?!]+["'”’»)]*(?=\s|$)|[。！？]/gu
  for (const match of text.matchAll(boundary)) {
    const end = match.index + match[0].length
    const raw = text.slice(start, end)
    const last = raw.slice(-ABBREVIATION_CHARACTERS)
    if (match[0] === '.' && (ABBREVIATION.test(last) || (code === 'de' && /(?:^|\s)\d{1,2}\.$/.test(last)))) continue
    yield* pieces(raw.trimStart(), end - raw.trimStart().length)
    start = end
  }
  if (start < text.length) yield* pieces(text.slice(start), start)
}

/** Without punctuation: at pauses, and inside long stretches before the words that people go on with. */
function* splitUnmarked(text: string, starts: Turn['starts']) {
  const cuts = starts.filter(({ pause }) => pause).map(({ offset }) => offset)
  for (const [at, cut] of cuts.entries()) {
    let offset = cut
    for (const raw of text.slice(cut, cuts[at + 1]).split(/(?<=(?:\S+ ){9})(?=(?:so|but|and then|okay|now|anyway) )/)) {
      if (raw.trim()) yield* pieces(raw, offset)
      offset += raw.length
    }
  }
}

function* pieces(text: string, from: number) {
  let offset = from
  for (const raw of text.length <= LONGEST_SENTENCE ? [text] : (text.match(STRETCH) ?? [])) {
    if (raw.replaceAll(BREAK, '').replaceAll(LOST, '').trim()) yield { offset, raw }
    offset += raw.length
  }
}

export function wordsOf(text: string, code: string): string[] {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text)) {
    const segmenter = new Intl.Segmenter(code || undefined, { granularity: 'word' })
    return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment.toLowerCase())
  }
  return (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'-]*/gu) ?? []
  )
}

export function termsOf(words: readonly string[], { stop, light }: Lexicon): string[] {
  return words
    .filter(word => !stop.has(word) && !light.has(word) && (word.length > 2 || !/^[\p{Script=Latin}\p{N}]+$/u.test(word)))
    .map(stem)
}

/** Crude on purpose: it only has to bring "button" and "buttons" together. */
export function stem(word: string) {
  const bare = word.replace(/'s$|'$/, '')
  if (bare.length < 5) return bare.replace(/(?<=[^s])s$/, '')
  return bare
    .replace(/(?:ies|y)$/, 'i')
    .replace(/(?<=[^s])s$/, '')
    .replace(/(?<=.{3})(?:ing|ed)$/, '')
    .replace(/(?<=.{3})e$/, '')
}
