import { nameKey } from './fold.ts'

/** The colours of persons with a name; one more is for voices without one. */
const COLOURS = 7

/** The beginning of a name that initials and colour are made of. */
const NAME_LENGTH = 100

/** The number of the colour of a person, the same on every page. */
export function voiceOf(name: string) {
  let sum = 0
  for (const letter of nameKey(name.slice(0, NAME_LENGTH))) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9_973
  return 1 + (sum % COLOURS)
}

/** The first letters of the first and the last word; one letter in scripts without capitals. */
export function initialsOf(name: string) {
  const words = name
    .slice(0, NAME_LENGTH)
    .trim()
    .split(/[\s_-]+/u)
  const first = letterOf(words[0] ?? '')
  if (words.length < 2 || first.toLowerCase() === first.toUpperCase()) return first
  return first + letterOf(words.at(-1) ?? '')
}

function letterOf(word: string) {
  const letters = [...word]
  return letters.find(letter => /\p{L}|\p{N}/u.test(letter)) ?? letters[0] ?? ''
}
