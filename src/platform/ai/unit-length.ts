/** Scales the vector to unit length. Undefined if it has no direction. */
export function toUnitLength(vector: readonly number[]): number[] | undefined {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  return norm > 0 && Number.isFinite(norm) ? vector.map(value => value / norm) : undefined
}
