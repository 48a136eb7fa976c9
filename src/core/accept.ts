import Negotiator from 'negotiator'

/** Returns the media type that an Accept header prefers. It is the first one if the header prefers none, or is missing. */
export function preferredType<T extends string>(accept: string | undefined, types: readonly [T, ...T[]]): T {
  const preferred = accept === undefined ? undefined : new Negotiator({ headers: { accept } }).mediaType([...types])
  return types.find(type => type === preferred) ?? types[0]
}
