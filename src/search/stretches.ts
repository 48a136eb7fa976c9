import { idfOf, type TermIdf } from './score.ts'

/** A text up to this length is read whole for its snippet; most summaries and notes are shorter. */
const READ_CHARACTERS = 4_000
const STRETCH_CHARACTERS = 1_000
/** The number of query terms looked for, rarest first; each costs a pass over the text. */
const MAX_TERMS = 8

/** Of a long text, the stretches with most query terms, in order; a shorter text is returned unchanged. */
export function bestStretches(text: string, idfs: readonly TermIdf[]): string {
  if (text.length <= READ_CHARACTERS) return text
  const terms = idfs
    .toSorted((a, b) => idfOf(b) - idfOf(a))
    .slice(0, MAX_TERMS)
    .map(idf => ({ beginning: beginningOf(idf.stem), idf: idfOf(idf) }))
  return cutStretches(text)
    .map((stretch, at) => ({ stretch, at, idf: idfsIn(folded(stretch), terms) }))
    .sort((a, b) => b.idf - a.idf || a.at - b.at)
    .slice(0, READ_CHARACTERS / STRETCH_CHARACTERS)
    .sort((a, b) => a.at - b.at)
    .map(({ stretch }) => stretch)
    .join('\n')
}

/** A stem is usually a prefix of its word, except for its last letter and for accents. */
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

function idfsIn(text: string, terms: readonly { beginning: string; idf: number }[]) {
  return terms.reduce((sum, { beginning, idf }) => sum + (text.includes(beginning) ? idf : 0), 0)
}

/** Cuts after a line where possible, else after a sentence, else after a word. */
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
