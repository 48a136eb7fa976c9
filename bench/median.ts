export interface Median {
  median: number
  low: number
  high: number
}

const DOUBT = 0.05

/**
 * Returns the median, and the range that contains the true one with a confidence of 95 %: that between the values of a rank from the bottom and
 * from the top. All values are the range if they are fewer than six.
 */
export function medianOf(values: readonly number[]): Median {
  const ascending = values.toSorted((a, b) => a - b)
  const [count, middle] = [ascending.length, (ascending.length - 1) / 2]
  const skipped = Math.max(0, ranksOutside(count) - 1)
  return {
    median: (ascending[Math.floor(middle)]! + ascending[Math.ceil(middle)]!) / 2,
    low: ascending[skipped]!,
    high: ascending[count - 1 - skipped]!
  }
}

/** Returns how many values at each end may be left out: fewer lie beyond the true median, as heads of a coin do, only with that doubt. */
function ranksOutside(count: number) {
  let [probability, cumulated, ranks] = [0.5 ** count, 0, 0]
  while (2 * (cumulated + probability) <= DOUBT) {
    cumulated += probability
    probability *= (count - ranks) / (ranks + 1)
    ranks++
  }
  return ranks
}
