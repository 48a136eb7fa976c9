import { splitSentences } from '../../../platform/text/sentences.ts'
import type { Turn } from '../transcript.ts'

/** A word as a tool writes it. The text may begin with the blank before it. */
export type Word = Turn

/** A pause that begins a new turn in speech without punctuation. */
const PAUSE_SECONDS = 2
/** A longer text without blanks is a sentence of a language that has none. */
const MAX_WORD = 30
/** The characters that the text of a tool may have before the next word. */
const MAX_AHEAD = 200

/** Makes a turn of each sentence. A change of speaker and a long pause begin a turn, too. */
export function turnsOfWords(words: Word[]): Turn[] {
  const spaced = withBlanks(words)
  const turns: Turn[] = []
  let from = 0
  for (let at = 1; at <= spaced.length; at++) {
    if (at < spaced.length && !beginsTurn(spaced[at - 1], spaced[at])) continue
    turns.push(...toSentences(spaced.slice(from, at)))
    from = at
  }
  return turns
}

/** Some tools make a segment of each word: these are joined to sentences again. */
export function joinWords(turns: Turn[]): Turn[] {
  const areWords = turns.length > 1 && turns.every(({ text }) => text.length < MAX_WORD && !/\S\s+\S/.test(text))
  return areWords && turns.some(({ text }) => /^\s*(?:\p{Ll}|\p{Lo}{1,3}$)/u.test(text)) ? turnsOfWords(turns) : turns
}

function beginsTurn(before: Word | undefined, word: Word | undefined) {
  if (before?.speaker !== word?.speaker) return true
  const pause = (word?.start ?? 0) - (before?.end ?? Number.POSITIVE_INFINITY)
  return pause >= PAUSE_SECONDS
}

function toSentences(words: Word[]): Turn[] {
  const text = words.map(word => word.text).join('')
  let next = 0
  let length = 0
  return splitSentences(text).map(sentence => {
    const end = sentence.start + sentence.text.length
    const first = next
    while (next < words.length && length < end) length += words[next++]?.text.length ?? 0
    const said = words.slice(first, Math.max(next, first + 1))
    const start = said.find(word => word.start !== null)?.start ?? null
    return {
      speaker: words[0]?.speaker ?? null,
      start,
      end: said.findLast(word => word.end !== null)?.end ?? null,
      text: sentence.text
    }
  })
}

/** Scripts without blanks between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}、。，？！]/u
const CLOSING = /^[.,!?;:%…、。，？！：；)\]}”’»]/u

/** Puts blanks between words, unless the tool writes its own. */
function withBlanks(words: Word[]): Word[] {
  if (words.some(({ text }) => /^\s|\s$/.test(text))) return words
  return words.map((word, index) => (needsBlank(words[index - 1], word) ? { ...word, text: ` ${word.text}` } : word))
}

function needsBlank(before: Word | undefined, { text }: Word) {
  if (before === undefined || CLOSING.test(text)) return false
  return !(UNSPACED.test([...before.text.slice(-2)].at(-1) ?? '') && UNSPACED.test([...text.slice(0, 2)][0] ?? ''))
}

/**
 * Gives words the punctuation and the blanks of the text that they come from, because OpenAI lists words without punctuation. Returns the
 * words unchanged if they are not all in the text.
 */
export function withPunctuation(words: Word[], text: string): Word[] {
  const places: number[] = []
  let from = 0
  for (const word of words) {
    const bare = word.text.trim()
    const at = text.slice(from, from + bare.length + MAX_AHEAD).indexOf(bare)
    if (at === -1) return words
    places.push(from + at)
    from += at + bare.length
  }
  let begin = 0
  return words.map((word, index) => {
    const next = places[index + 1]
    const after = (places[index] ?? 0) + word.text.trim().length
    // The characters before the next blank belong to this word; an opening quotation mark belongs to the next one.
    const gap = text.slice(after, next ?? text.length)
    const blank = gap.search(/\s/)
    const end = next === undefined ? text.length : after + (blank === -1 ? gap.length : blank)
    const written = text.slice(begin, end)
    begin = end
    return { ...word, text: written }
  })
}
