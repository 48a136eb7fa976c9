import { nameKey } from '../../text/fold.ts'
import { foldLetters } from '../../text/fold-letters.ts'
import { nameOf } from '../summarizer/wording.ts'

/** Finds the name of somebody among known ones. */
export type FindName = (written: string | null) => string | undefined

/**
 * Opens a search for names that a model writes: the same name without case and remarks, or a part of it that only one of the known names has, such
 * as the first name.
 */
export function openNames(known: Iterable<string>): FindName {
  const whole = new Map<string, string>()
  const parts = new Map<string, string | undefined>()
  for (const name of known) {
    const key = keyOf(name)
    if (key === '' || whole.has(key)) continue
    whole.set(key, name)
    for (const part of new Set(key.split(' '))) parts.set(part, parts.has(part) ? undefined : name)
  }
  return written => {
    const key = keyOf(written ?? '')
    return whole.get(key) ?? (key.length > 1 && !/^\p{N}+$/u.test(key) ? parts.get(key) : undefined)
  }
}

function keyOf(name: string) {
  return foldLetters(nameKey(nameOf(name)))
}
