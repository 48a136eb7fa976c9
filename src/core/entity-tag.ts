/** Whether an If-None-Match header names the entity tag. Weak and strong ones compare alike, as RFC 9110 has it. */
export function isNamed(tag: string, header: string | undefined) {
  if (header === undefined) return false
  const opaque = tag.replace(/^W\//, '')
  return header.split(',').some(one => one.trim() === '*' || one.trim().replace(/^W\//, '') === opaque)
}
