import type { LibraryDocument, Query, QuerySet } from './query-set.ts'
import { openRandom } from './random.ts'

const WORDS = 4
/** The minimum number of meetings that contain each word of a phrase, so that only the order of the words distinguishes it. */
const MIN_MEETINGS = 20
const QUOTED: ((phrase: string) => string)[] = [
  phrase => `"${phrase}"`,
  phrase => `who said "${phrase}"`,
  phrase => `“${phrase}”`
]

/** Makes a quoted phrase for each meeting, of words that many meetings use, in an order that only this meeting has. */
export function phraseSet(documents: readonly LibraryDocument[], library: string): QuerySet {
  const random = openRandom(13)
  const texts = documents.map(({ segments }) => plainText(segments.map(({ text }) => text).join('\n')))
  const meetings = new Map<string, number>()
  for (const text of texts)
    for (const word of new Set(text.match(/[a-z]+/g))) meetings.set(word, (meetings.get(word) ?? 0) + 1)
  const isUsual = (words: string[]) => words.every(word => (meetings.get(word) ?? 0) >= MIN_MEETINGS)

  function phraseOf({ segments }: LibraryDocument, at: number) {
    const runs = segments.flatMap(({ text }) => text.match(/(?<![\S])[A-Za-z]+(?: [A-Za-z]+){3,}(?![\S])/g) ?? [])
    for (const run of random.shuffle(runs)) {
      const words = run.split(' ')
      const from = random.below(words.length - WORDS + 1)
      const chosen = words.slice(from, from + WORDS)
      const phrase = chosen.join(' ').toLowerCase()
      if (!isUsual(phrase.split(' ')) || chosen.filter(word => word.length >= 5).length < 2) continue
      if (texts.every((text, other) => other === at || !text.includes(` ${phrase} `))) return phrase
    }
    return undefined
  }

  const queries = documents.flatMap((document, at): Query[] => {
    const phrase = phraseOf(document, at)
    return phrase === undefined ? [] : [{ text: QUOTED[at % QUOTED.length]!(phrase), session: document.external_id }]
  })
  return { name: 'phrases', library, queries }
}

/** Returns the words in lower case, each with one space before and after it. */
function plainText(text: string) {
  return ` ${text.toLowerCase().replace(/[^a-z]+/g, ' ')} `
}
