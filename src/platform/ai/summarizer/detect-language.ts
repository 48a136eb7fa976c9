import { eld } from 'eld/extrasmall'
import { lowerCaseWords, STOP_SETS } from './language.ts'
import neighbours from './neighbouring-languages.json' with { type: 'json' }

const MAX_SAMPLE_CHARACTERS = 20_000
/** The detector reads about 350 bytes of a text, so it gets parts of the sample. */
const PART = /.{1,300}(?=\s|$)|.{1,300}/gsu
const MAX_PARTS = 16
const MIN_WORDS = 3
const MIN_STOP_WORD_SHARE = 0.2
/** The detector may be trusted about this many words without stop words, which some languages join to others. */
const ENOUGH_WORDS = 5
/** Frequent words of languages that the detector confuses, or does not know and takes for their neighbour. */
const NEAR = neighbours.near.map(group => toWordSets(group))
const MIN_NEAR_SHARE = 0.05
/** Frequent words of languages that the detector does not know and takes for any other. */
const FAR = toWordSets(neighbours.far)
const MIN_FAR_SHARE = 0.25
/** Scripts of one language, which the detector does not know or recognizes only in a longer text. */
const SCRIPTS = Object.entries({
  ja: 'Hiragana',
  ko: 'Hangul',
  zh: 'Han',
  th: 'Thai',
  el: 'Greek',
  he: 'Hebrew',
  ka: 'Georgian',
  hy: 'Armenian',
  km: 'Khmer',
  my: 'Myanmar',
  si: 'Sinhala',
  bo: 'Tibetan',
  dv: 'Thaana'
}).map(([code, script]) => ({ code, letters: new RegExp(`\\p{Script=${script}}`, 'u') }))

/** ISO 639-1 code of the language of a text; null when unclear. */
export function detectLanguage(text: string): string | null {
  const sample = text.slice(0, MAX_SAMPLE_CHARACTERS)
  const words = lowerCaseWords(sample)
  const { guess, isReliable } = detectByParts(sample)
  // Outside the Latin script, the letters alone tell the language.
  if (sample.replace(/\P{Script=Latin}/gu, '').length <= sample.replace(/\P{L}/gu, '').length / 2) {
    return guess === null ? (SCRIPTS.find(({ letters }) => letters.test(sample))?.code ?? null) : nearest(guess, words)
  }
  if (words.length < MIN_WORDS) return null
  const stopWordShare = shareOf(words, STOP_SETS.get(guess ?? ''))
  const far = most(FAR, words)
  if (far.share >= MIN_FAR_SHARE && far.share > stopWordShare) return far.code
  const isClear = stopWordShare >= MIN_STOP_WORD_SHARE || (isReliable && new Set(words).size >= ENOUGH_WORDS)
  return guess !== null && isClear ? nearest(guess, words) : null
}

/** The language with the highest sum of scores in parts of the sample, which are spread over all of it. */
function detectByParts(sample: string) {
  const parts = sample.match(PART) ?? []
  const step = Math.max(1, parts.length / MAX_PARTS)
  const found = parts
    .filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
    .map(part => eld.detect(part))
  const scores = new Map<string, number>()
  for (const { language, getScores } of found) {
    if (language) scores.set(language, (scores.get(language) ?? 0) + (getScores()[language] ?? 0))
  }
  const [[guess] = [null]] = [...scores].sort(([, a], [, b]) => b - a)
  return { guess, isReliable: found.some(one => one.language === guess && one.isReliable()) }
}

/** The language among a guess and its neighbours that has the most of the words. */
function nearest(guess: string, words: readonly string[]) {
  const group = NEAR.find(sets => sets.has(guess))
  const best = group && most(group, words)
  return best && best.share >= MIN_NEAR_SHARE && best.share > shareOf(words, group.get(guess)) ? best.code : guess
}

function most(sets: ReadonlyMap<string, ReadonlySet<string>>, words: readonly string[]) {
  const shares = [...sets].map(([code, set]) => ({ code, share: shareOf(words, set) }))
  return shares.reduce((best, one) => (one.share > best.share ? one : best))
}

function shareOf(words: readonly string[], set: ReadonlySet<string> = new Set()) {
  return words.filter(word => set.has(word)).length / words.length
}

function toWordSets(lists: { readonly [code: string]: string | undefined }) {
  return new Map(Object.entries(lists).map(([code, words = '']) => [code, new Set(words.split(' '))]))
}
