/** Returns whether an If-None-Match header names the entity tag. Weak and strong tags compare alike, as RFC 9110 requires. */
export function isNamed(tag: string, header: string | undefined) {
  if (header === undefined) return false
  const opaque = tag.replace(/^W\//, '')
  return header.split(',').some(one => one.trim() === '*' || one.trim().replace(/^W\//, '') === opaque)
}
