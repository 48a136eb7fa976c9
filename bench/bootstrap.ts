import { openRandom } from './sets/random.ts'

export interface Interval {
  mean: number
  low: number
  high: number
}

const SAMPLES = 1_000

/**
 * The mean of all values and its 95 % confidence interval by the bootstrap. Values of one cluster are drawn together, because queries about
 * the same meeting succeed and fail together. The same clusters give the same interval.
 */
export function bootstrapMean(clusters: readonly (readonly number[])[]): Interval {
  const random = openRandom(1)
  const sums = clusters.filter(({ length }) => length > 0).map(values => ({ sum: total(values), count: values.length }))
  const means = Array.from({ length: SAMPLES }, () => {
    let [sum, count] = [0, 0]
    for (let drawn = 0; drawn < sums.length; drawn++) {
      const cluster = random.pick(sums)
      sum += cluster.sum
      count += cluster.count
    }
    return sum / count
  }).sort((a, b) => a - b)
  const values = clusters.flat()
  return {
    mean: total(values) / values.length,
    low: means[Math.floor(SAMPLES * 0.025)]!,
    high: means[Math.ceil(SAMPLES * 0.975) - 1]!
  }
}

function total(values: readonly number[]) {
  return values.reduce((sum, value) => sum + value, 0)
}
