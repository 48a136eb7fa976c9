import { stem } from '../../src/platform/ai/summarizer/language.ts'

export interface Rouge {
  one: number
  two: number
  /** By the longest common subsequence of each sentence of the reference with the whole summary. */
  sum: number
}

/** ROUGE F1 of a summary with the reference that it resembles most. Stems are those of the summarizer, so compare values of this function only. */
export function rougeOf(summary: string, references: readonly string[]): Rouge {
  const scores = references.map(reference => ({
    one: f1(gramsOf(summary, 1), gramsOf(reference, 1)),
    two: f1(gramsOf(summary, 2), gramsOf(reference, 2)),
    sum: f1OfUnion(summary, reference)
  }))
  return scores.reduce((best, score) => (score.one > best.one ? score : best), { one: 0, two: 0, sum: 0 })
}

export function stemsOf(text: string): string[] {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map(stem)
}

function gramsOf(text: string, size: number) {
  const words = stemsOf(text)
  return words.slice(size - 1).map((_, at) => words.slice(at, at + size).join(' '))
}

function f1(made: readonly string[], wanted: readonly string[]) {
  const left = Map.groupBy(wanted, gram => gram)
  let common = 0
  for (const gram of made) if (left.get(gram)?.pop() !== undefined) common++
  return (2 * common) / (made.length + wanted.length || 1)
}

function f1OfUnion(summary: string, reference: string) {
  const made = summary.split('\n').map(stemsOf)
  const wanted = reference.split(/(?<=[.?!])\s+/).map(stemsOf)
  const common = wanted.map(words => {
    const covered = new Set(made.flatMap(sentence => commonPlaces(words, sentence)))
    return [...covered].map(at => words[at] ?? '')
  })
  const [left, right] = [made.flat().length, wanted.flat().length]
  const remaining = Map.groupBy(made.flat(), word => word)
  let hits = 0
  for (const word of common.flat()) if (remaining.get(word)?.pop() !== undefined) hits++
  return (2 * hits) / (left + right || 1)
}

/** The places in `words` of their longest common subsequence with `others`. */
function commonPlaces(words: readonly string[], others: readonly string[]) {
  const lengths = Array.from({ length: words.length + 1 }, () => new Uint16Array(others.length + 1))
  for (let row = words.length - 1; row >= 0; row--) {
    for (let column = others.length - 1; column >= 0; column--) {
      const [below, here] = [lengths[row + 1], lengths[row]]
      if (!below || !here) continue
      here[column] =
        words[row] === others[column]
          ? (below[column + 1] ?? 0) + 1
          : Math.max(below[column] ?? 0, here[column + 1] ?? 0)
    }
  }
  const places: number[] = []
  let [row, column] = [0, 0]
  while (row < words.length && column < others.length) {
    const here = lengths[row]?.[column] ?? 0
    if (words[row] === others[column]) {
      places.push(row++)
      column++
    } else if ((lengths[row + 1]?.[column] ?? 0) === here) row++
    else column++
  }
  return places
}
