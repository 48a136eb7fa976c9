import stopWordsByLanguage from 'stopwords-iso/stopwords-iso.json' with { type: 'json' }
import words from './english-words.json' with { type: 'json' }

export interface Language {
  code: string
  isEnglish: boolean
  /** Words that carry no topic. */
  stopWords: ReadonlySet<string>
}

/** Stop words by language. */
export const STOP_SETS = new Map(Object.entries(stopWordsByLanguage).map(([code, words]) => [code, new Set(words)]))
/** Scripts without blanks between words. */
export const UNSPACED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const WORD_SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'word' })

/** The written forms of Norwegian share its stop words and headings. */
const FORMS = new Map([
  ['nb', 'no'],
  ['nn', 'no']
])

/** The data of a language, by its ISO 639-1 code. */
export function openLanguage(given: string): Language {
  const code = FORMS.get(given) ?? given
  const isEnglish = code === 'en'
  return {
    code,
    isEnglish,
    stopWords: STOP_SETS.get(code)?.union(new Set(isEnglish ? words.noTopic.map(stem) : [])) ?? new Set()
  }
}

/** The words of a text in lower case, with plain apostrophes. */
export function lowerCaseWords(text: string): string[] {
  return splitWords(text).map(word => word.toLowerCase().replaceAll('’', "'"))
}

/** The words of a text as written. */
export function splitWords(text: string): string[] {
  if (!UNSPACED_SCRIPT.test(text)) return text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu) ?? []
  return [...WORD_SEGMENTER.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}

/** Returns whether a word in lower case carries a topic. */
export function isTerm(word: string, { isEnglish, stopWords }: Language): boolean {
  const isStopWord = stopWords.has(word) || (isEnglish && stopWords.has(stem(word)))
  return !isStopWord && (word.length > 2 || !/^[\p{Script=Latin}\p{N}]+$/u.test(word))
}

/** The stems of the words that carry a topic. */
export function termsOf(words: readonly string[], language: Language): string[] {
  return words.filter(word => isTerm(word, language)).map(stem)
}

/** A light stemmer: it only has to unite "button" and "buttons". */
export function stem(word: string): string {
  const bare = word.replace(/'s$|'$/, '').replace(/(?<=[^s])s$/, '')
  return bare.length < 5 ? bare : bare.replace(/(?:ie|y)$/, 'i').replace(/(?<=.{3})(?:ing|ed|e)$/, '')
}
