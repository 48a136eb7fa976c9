/**
 * A name without its case and width, for comparing: two names with the same key are one to a reader. Upper case first,
 * because lower case alone leaves "ß" and "SS" apart.
 */
export function nameKey(name: string) {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}
