/** An example of what the ranker is to learn: the numbers of a sentence, the numbers of the words that it has, and how it should be rated. */
export interface Example {
  features: readonly number[]
  words: readonly number[]
  target: number
}

export interface Penalties {
  features: number
  words: number
}

/** Returns the weights of features, then words, with the least squared error plus penalties; the mean of the targets is not learned. */
export function fitRidge(examples: readonly Example[], wordCount: number, penalties: Penalties): number[] {
  const featureCount = examples[0]?.features.length ?? 0
  // The last column is 1 in every example, and takes what all have in common.
  const size = featureCount + wordCount + 1
  const rows = Array.from({ length: size }, () => new Float64Array(size + 1))
  for (const { features, words, target } of examples) {
    const filled = [
      ...features.map((value, at) => [at, value] as const),
      ...words.map(word => [featureCount + word, 1] as const),
      [size - 1, 1] as const
    ]
    for (const [row, value] of filled) {
      const sums = rows[row]
      if (!sums) continue
      for (const [column, other] of filled) sums[column] = (sums[column] ?? 0) + value * other
      sums[size] = (sums[size] ?? 0) + value * target
    }
  }
  for (let at = 0; at < size - 1; at++) {
    const sums = rows[at]
    if (sums) sums[at] = (sums[at] ?? 0) + (at < featureCount ? penalties.features : penalties.words)
  }
  return solve(rows).slice(0, -1)
}

/** Solves a positive definite system, whose last column is the right side, by elimination. */
function solve(rows: Float64Array[]): number[] {
  const size = rows.length
  for (const [at, pivot] of rows.entries()) {
    for (const row of rows.slice(at + 1)) {
      const factor = (row[at] ?? 0) / (pivot[at] ?? 1)
      if (factor === 0) continue
      for (let column = at; column <= size; column++) row[column] = (row[column] ?? 0) - factor * (pivot[column] ?? 0)
    }
  }
  const found = new Array<number>(size).fill(0)
  for (let at = size - 1; at >= 0; at--) {
    const row = rows[at]
    if (!row) continue
    let rest = row[size] ?? 0
    for (let column = at + 1; column < size; column++) rest -= (row[column] ?? 0) * (found[column] ?? 0)
    found[at] = rest / (row[at] ?? 1)
  }
  return found
}
