import { nameKey } from '../../platform/text/fold.ts'

interface Named {
  id: string
  name: string
  words: readonly string[]
}

/** The words of a name that are compared. */
const MAX_WORDS = 6
/** The beginning of a name that is compared. */
const MAX_LENGTH = 100

/**
 * Returns the one person whose name is that of another in another order, or has all of its words, some of which may be initials: `Lovelace, Ada`,
 * `Ada L.` and `Ada` may be `Ada Lovelace`. Undefined if nobody is, or several may be.
 */
export function likelySame({ id, words }: Named, others: readonly Named[]): Omit<Named, 'words'> | undefined {
  if (words.length === 0) return undefined
  const found = others.filter(other => other.id !== id && has(other.words, words))
  const [one] = found
  return one && found.length === 1 ? { id: one.id, name: one.name } : undefined
}

/** Splits the name of a person for comparisons with many others. */
export function toNamed({ id, name }: Omit<Named, 'words'>): Named {
  const words = nameKey(name.slice(0, MAX_LENGTH))
    .split(/[\s,.]+/u)
    .filter(word => word !== '')
    .slice(0, MAX_WORDS)
  return { id, name, words }
}

/** Whether a name has each of the words, and one of more than a letter. */
function has(name: readonly string[], words: readonly string[]) {
  const left = [...name]
  for (const word of words) {
    const at = left.findIndex(one => one === word || (word.length === 1 && one.startsWith(word)))
    if (at < 0) return false
    left.splice(at, 1)
  }
  return words.some(word => word.length > 1)
}
