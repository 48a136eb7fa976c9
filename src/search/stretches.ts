import { type Worth, worthOf } from './score.ts'

/** A text up to this length is read whole for its snippet: more than most summaries and notes have. */
const READ_CHARACTERS = 4_000
const STRETCH_CHARACTERS = 1_000
/** Terms of the query that are looked for, the rarest: each costs a pass over the text. */
const MAX_TERMS = 8

/** Of a long text the stretches that hold most of the query, in their order; a shorter text as it is. */
export function bestStretches(text: string, worths: readonly Worth[]): string {
  if (text.length <= READ_CHARACTERS) return text
  const terms = worths
    .toSorted((a, b) => worthOf(b) - worthOf(a))
    .slice(0, MAX_TERMS)
    .map(worth => ({ beginning: beginningOf(worth.stem), worth: worthOf(worth) }))
  return cutStretches(text)
    .map((stretch, at) => ({ stretch, at, worth: worthIn(folded(stretch), terms) }))
    .sort((a, b) => b.worth - a.worth || a.at - b.at)
    .slice(0, READ_CHARACTERS / STRETCH_CHARACTERS)
    .sort((a, b) => a.at - b.at)
    .map(({ stretch }) => stretch)
    .join('\n')
}

/** Most stems are the beginning of their words, but for the last letter and for accents. */
function beginningOf(stem: string) {
  const plain = folded(stem)
  return plain.length > 3 ? plain.slice(0, -1) : plain
}

function folded(text: string) {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
}

function worthIn(text: string, terms: readonly { beginning: string; worth: number }[]) {
  return terms.reduce((sum, { beginning, worth }) => sum + (text.includes(beginning) ? worth : 0), 0)
}

/** Cut behind a line where there is one, else behind a sentence, else behind a word. */
function cutStretches(text: string) {
  const stretches: string[] = []
  for (let from = 0; from < text.length; ) {
    const longest = text.slice(from, from + STRETCH_CHARACTERS)
    const last = ['\n', '. ', ' '].map(mark => longest.lastIndexOf(mark) + 1).find(end => end > 0)
    const end = last === undefined || from + STRETCH_CHARACTERS >= text.length ? longest.length : last
    stretches.push(longest.slice(0, end))
    from += end
  }
  return stretches
}
