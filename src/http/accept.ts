import Negotiator from 'negotiator'

/**
 * Returns the media type that an Accept header prefers; the first one if it prefers none, or is missing. Of types with the same weight the
 * first one wins too, because many clients list all that they can read.
 */
export function preferredType<T extends string>(accept: string | undefined, types: readonly [T, ...T[]]): T {
  if (accept === undefined) return types[0]
  const rankOf = (range: string) => types.findIndex(type => range.trim().toLowerCase().startsWith(type))
  const ranges = accept.split(',').sort((a, b) => rankOf(a) - rankOf(b))
  const preferred = new Negotiator({ headers: { accept: ranges.join(',') } }).mediaType([...types])
  return types.find(type => type === preferred) ?? types[0]
}
