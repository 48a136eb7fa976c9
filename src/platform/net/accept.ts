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

/** Returns whether an Accept header takes the media type. A missing one takes every type. */
export function acceptsType(accept: string | undefined, type: string) {
  return !accept || new Negotiator({ headers: { accept } }).mediaType([type]) !== undefined
}

const ENCODINGS = ['br', 'gzip'] as const

/** Returns the encoding of a compressed response; undefined if the Accept-Encoding header takes none. Brotli wins over gzip at equal weights. */
export function preferredEncoding(acceptEncoding: string | undefined) {
  if (acceptEncoding === undefined) return undefined
  const accepted = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }).encodings([...ENCODINGS])
  return ENCODINGS.find(encoding => accepted.includes(encoding))
}
