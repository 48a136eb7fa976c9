/** Tags as one line. A comma within a tag has a backslash, as in the filters of lists. */
export function writeTags(tags: readonly string[]) {
  return tags.map(tag => tag.replaceAll(',', '\\,')).join(', ')
}

/** The tags of such a line. */
export function readTags(text: string) {
  const tags = text.split(/(?<!\\),/).map(tag => tag.replaceAll('\\,', ',').trim())
  return tags.filter(tag => tag !== '')
}
