const NAME_LENGTH = 100

/** Returns the name of the file of a session. Titles may be long, empty, or cut within a character. */
export function fileName(title: string, extension: string) {
  return `${title.slice(0, NAME_LENGTH).toWellFormed() || 'session'}.${extension}`
}

/**
 * Returns the Content-Disposition of a file that is saved, under a name that every system takes: letters with their accents and vowel signs, digits and a few marks. Old programs read
 * the name in ASCII.
 */
export function attachment(file: string) {
  const name = file.replaceAll(/[^\p{L}\p{M}\p{N} ._-]/gu, '_')
  const plain = name.replaceAll(/[^ -~]/g, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`
}
