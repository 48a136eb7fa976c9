export function countValues<T>(values: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** The distinct values, most frequent first; of equally frequent ones, the first to occur. */
export function rankByFrequency(values: Iterable<string>): string[] {
  return [...countValues(values)].sort(([, a], [, b]) => b - a).map(([value]) => value)
}
