import { foldLetters } from '../../text/fold-letters.ts'
import type { Segment } from '../../text/segment.ts'
import { numbersOf } from '../../text/spoken-numbers.ts'
import { writtenWords } from '../../text/words.ts'
import { openPauses } from '../../work/pauses.ts'
import { STOP_SETS } from '../summarizer/language.ts'

/** The lines before and after a cited one that count as near it: people answer each other, and recognizers cut lines after a few words. */
const NEAR_LINES = 8

/** Languages that write each noun with a capital letter, so that names look like other words. */
const CAPITAL_NOUNS = new Set(['de', 'lb'])
/** People write smaller numbers as words, which are read in English only. */
const SMALLEST_NUMBER = 13
/** A word of this many letters may have another ending than the name: "Anna" is "Annę" in Polish. */
const MIN_STEM = 4

/** Verbs before which the first word of a sentence is somebody or something that acts. */
const ACTS =
  /^(?:will|would|should|can|could|must|may|is|are|was|has|had|have|needs?|wants?|wanted|agreed?s?|said|says|asked|asks|promised|proposed|suggested|offered|confirmed|decided|announced|mentioned|explained|reported|presented|approved|rejected|sends?|sent|pays?|paid|owns?|takes?|joins?|joined|leads?)$/
/** Names that a model gives to those who talk, and that nobody says. */
const ROLES = new Set(
  `participants participant attendees everyone everybody people team teams members speakers speaker customers customer clients client users user
  company management stakeholders group others`.split(/\s+/)
)

interface Heard {
  words: Set<string>
  numbers: Set<number>
  /** The scripts with capital letters that it is written in. */
  scripts: RegExp[]
}

/** Scripts with capital letters. A name in one of them may be spelt in many ways where people write another. */
const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]

/** ISO 639-1; null if it is unknown. */
export interface Languages {
  /** That of the conversation. */
  spoken: string | null
  /** That of the summary. */
  written: string | null
}

/** Checks statements against what was said. */
export interface Evidence {
  /** Whether each name and number of the text occurs in or near the lines, and so does the speaker if there is one. False without lines. */
  supports(text: string, lines: readonly number[], speaker?: string | null): boolean
  /** Whether each name and number of the text occurs anywhere. */
  mentions(text: string): Promise<boolean>
}

/** Opens the check of statements about these lines. It reads each line once, and only lines that it needs. */
export function openEvidence(segments: readonly Segment[]): (languages: Languages) => Evidence {
  const heard = new Map<number, Heard>()
  const hear = (index: number) => {
    const known = heard.get(index) ?? listen(segments[index])
    heard.set(index, known)
    return known
  }

  return languages => ({
    supports(text, lines, speaker = null) {
      const near = [...linesNear(lines, segments.length)]
      if (near.length === 0) return false
      if (speaker !== null && !near.some(index => segments[index]?.speaker === speaker)) return false
      return isHeard(text, near.map(hear), languages)
    },
    async mentions(text) {
      const pause = openPauses()
      const all: Heard[] = []
      for (const index of segments.keys()) {
        all.push(hear(index))
        await pause()
      }
      return isHeard(text, all, languages)
    }
  })
}

function listen({ speaker, text }: Pick<Segment, 'speaker' | 'text'> = { speaker: '', text: '' }): Heard {
  const all = [...keysOf(speaker), ...keysOf(text)]
  const pairs = all.slice(1).map((word, at) => `${all[at]}${word}`)
  return {
    words: new Set([...all, ...pairs, ...spelledWords(all)]),
    numbers: new Set([...numbersOf(speaker), ...numbersOf(text)].flat()),
    scripts: SCRIPTS.filter(script => script.test(speaker) || script.test(text))
  }
}

/** The words that are spelled letter by letter: "L C D". */
function spelledWords(words: readonly string[]) {
  const spelled: string[] = []
  let letters = ''
  for (const word of [...words, '']) {
    if (/^\p{L}$/u.test(word)) letters += word
    else {
      if (letters.length > 1) spelled.push(letters)
      letters = ''
    }
  }
  return spelled
}

function isHeard(text: string, lines: readonly Heard[], { spoken, written }: Languages) {
  const isSaid = (value: number) => lines.some(({ numbers }) => numbers.has(value))
  const mayBeWord = (value: number) => value === 0 || (spoken !== null && spoken !== 'en' && value < SMALLEST_NUMBER)
  const hasNumber = (readings: readonly number[]) =>
    readings.some(value => isSaid(value) || mayBeWord(value)) || isPoint(readings, isSaid)
  const hasName = (name: string) => {
    const script = SCRIPTS.find(each => each.test(name))
    const sameScript = lines.filter(({ scripts }) => script && scripts.includes(script))
    return sameScript.length === 0 || sameScript.some(({ words }) => hasWord(words, name, written !== 'en'))
  }
  return numbersOf(text).every(hasNumber) && namesOf(text, written).every(hasName)
}

function linesNear(lines: readonly number[], count: number) {
  const near = new Set<number>()
  for (const line of lines)
    for (let index = Math.max(line - NEAR_LINES, 0); index <= Math.min(line + NEAR_LINES, count - 1); index++)
      near.add(index)
  return near
}

/** "Three point five" is 3.5, but "three" and "five" are not 3,500. */
function isPoint([value, ...others]: readonly number[], isSaid: (value: number) => boolean) {
  const [whole, fraction] = String(value).split('.')
  return others.length === 0 && fraction !== undefined && isSaid(Number(whole)) && isSaid(Number(fraction))
}

function keysOf(text: string) {
  return writtenWords(text.normalize('NFKC')).map(({ word }) => toKey(word))
}

function toKey(word: string) {
  return foldLetters(word.toLowerCase())
}

/** Whether the word was said, in the plural or genitive as well; in languages that inflect names, with another ending. */
function hasWord(words: ReadonlySet<string>, name: string, isInflected: boolean) {
  const key = toKey(name)
  const bare = key.replace(/s$/, '')
  if (words.has(key) || words.has(bare) || words.has(`${key}s`)) return true
  if (!isInflected || key.length < MIN_STEM) return false
  const stem = key.slice(0, Math.max(MIN_STEM - 1, key.length - 2))
  return words.values().some(word => word.startsWith(stem) && word.length <= key.length + 3)
}

/** A new sentence begins after one of these, with blanks, quotation marks and brackets between. */
const AROUND = String.raw`[\s"'“”„«»‘’([*–—-]*$`
const AFTER_SENTENCE = new RegExp(`[.!?:;…。！？]${AROUND}`, 'u')
const AT_BEGINNING = new RegExp(`^${AROUND}`, 'u')
const LOOKBACK = 12

/**
 * The words of a text that are names by their capital letters. The first word of a sentence is one if it goes on with another name or does
 * something. Scripts without capitals have none.
 */
export function namesOf(text: string, language: string | null): string[] {
  const words = writtenWords(text)
  const names: string[] = []
  let isNameAfter = false
  for (const [at, { word, start, end }] of [...words.entries()].reverse()) {
    const next = words[at + 1]
    const isJoined = next !== undefined && /^\s+$/.test(text.slice(end, next.start))
    const after = isJoined ? { next: next.word, isNameAfter } : { next: '', isNameAfter: false }
    const isName = isNamed(word, isFirst(text, start), { ...after, language })
    if (isName) names.push(word)
    isNameAfter = isName
  }
  return names.reverse()
}

function isFirst(text: string, start: number) {
  const before = text.slice(Math.max(start - LOOKBACK, 0), start)
  return AFTER_SENTENCE.test(before) || (start <= LOOKBACK && AT_BEGINNING.test(before))
}

function isNamed(
  word: string,
  isFirst: boolean,
  { next, isNameAfter, language }: { next: string; isNameAfter: boolean; language: string | null }
) {
  if (!/^\p{Lu}/u.test(word) || [...word].length < 2) return false
  // "OpenAI", "API", "GPT4".
  if (/.\p{Lu}/u.test(word)) return true
  if (language !== null && CAPITAL_NOUNS.has(language)) return false
  if (!isFirst) return true
  const key = word.toLowerCase()
  if (ROLES.has(key) || STOP_SETS.get(language ?? 'en')?.has(key)) return false
  return isNameAfter || ACTS.test(next)
}
