import { withoutSuffix } from './speaker-name.ts'

/**
 * The comparison key of people's names: without case, blanks around them, width and other compatibility differences, and without what meeting
 * tools put behind a name, such as "(Guest)".
 */
export function nameKey(name: string) {
  return foldCase(withoutSuffix(name.trim()).normalize('NFKC')).normalize('NFKC')
}

/** The comparison key of folder names: without case, canonical equivalents being equal. `m²` and `M2` differ. */
export function folderKey(name: string) {
  return wordKey(name)
}

/** The comparison key of a word in a transcript: without case, canonical equivalents being equal. */
export function wordKey(word: string) {
  return foldCase(word.normalize('NFC')).normalize('NFC')
}

/** Upper case first: lower case alone would keep "ß" and "SS" apart. */
function foldCase(name: string) {
  return name.toUpperCase().toLowerCase()
}
