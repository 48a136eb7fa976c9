import { foldLetters } from '../../../platform/text/fold-letters.ts'
import { sequenceOf } from '../../../platform/text/words.ts'
import { indexWordsOf, plainText } from './terms.ts'

/** A longer title, and a longer word, is compared by its beginning. */
const MAX_WHOLE_CHARACTERS = 200
const MAX_WORD_CHARACTERS = 40

/**
 * The terms that a title has beside its stems: each word without marks, stop words too, and the title as a whole. No stem begins with `=`,
 * so their postings are those of titles alone.
 */
export function titleTermsOf(title: string): string[] {
  const words = [...titleWordsOf(title), ...indexWordsOf(title).map(word => foldLetters(word.toLowerCase()))]
  const whole = wholeTitleTerm(title)
  return [...new Set(words.map(titleWordTerm)), ...(whole === undefined ? [] : [whole])]
}

/** The words of a title in their order, without case and marks; of scripts without spaces, the characters. */
export function titleWordsOf(text: string): string[] {
  return sequenceOf(plainText(text)).map(({ word }) => foldLetters(word.toLowerCase()))
}

/** The term of a word of a title. */
export function titleWordTerm(word: string) {
  return `=${cut(word, MAX_WORD_CHARACTERS)}`
}

/** The term of a title as a whole, without case, marks and punctuation. Undefined for a text without words. */
export function wholeTitleTerm(text: string): string | undefined {
  const words = titleWordsOf(text.slice(0, 2 * MAX_WHOLE_CHARACTERS)).join(' ')
  return words === '' ? undefined : `=${cut(words, MAX_WHOLE_CHARACTERS)}=`
}

/** Never within a character. */
function cut(text: string, most: number) {
  return text.length <= most ? text : [...text].slice(0, most).join('')
}
