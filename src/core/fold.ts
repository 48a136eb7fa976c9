/** The key by which names of people are compared: without case, width or other compatibility differences, so that a reader sees one name. */
export function nameKey(name: string) {
  return foldCase(name.normalize('NFKC')).normalize('NFKC')
}

/** The key by which names of folders are compared: without case, canonical equivalents being one. `m²` and `M2` stay two names. */
export function folderKey(name: string) {
  return foldCase(name.normalize('NFC')).normalize('NFC')
}

/** Upper case first, because lower case alone leaves "ß" and "SS" apart. */
function foldCase(name: string) {
  return name.toUpperCase().toLowerCase()
}
