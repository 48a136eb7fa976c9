/** Returns whether an If-None-Match header names the entity tag. Weak and strong tags compare alike, as RFC 9110 requires. */
export function isNamed(tag: string, header: string | undefined) {
  if (header === undefined) return false
  return header.split(',').some(one => one.trim() === '*' || opaquePart(one.trim()) === opaquePart(tag))
}

/** The tag without the mark of a weak one, and without the suffix that a compressing proxy such as Apache adds. */
function opaquePart(tag: string) {
  return tag.replace(/^W\//, '').replace(/-(?:gzip|br|zstd|deflate)"$/, '"')
}
