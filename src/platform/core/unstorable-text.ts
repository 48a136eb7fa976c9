import { invalid } from './api-error.ts'

/** The longest path shown in a message, in characters. */
const MAX_PATH = 200

/** The error that names the first unstorable text; undefined where there is none. */
export function unstorableError(root: unknown) {
  const at = unstorableAt(root)
  if (at === undefined) return undefined
  return invalid({
    field: at.slice(0, MAX_PATH).toWellFormed() || 'body',
    expected: 'text without NUL characters and unpaired surrogates'
  })
}

/** The path of the first unstorable text. Iterative, because a body may be nested more deeply than the stack allows. */
function unstorableAt(root: unknown) {
  const open: [string, unknown][] = []
  for (let next: [string, unknown] | undefined = ['', root]; next; next = open.pop()) {
    const [path, value] = next
    if (typeof value === 'string' && isUnstorable(value)) return path
    if (typeof value !== 'object' || value === null) continue
    for (const [key, inner] of Object.entries(value)) {
      if (isUnstorable(key)) return path
      if (typeof inner === 'object' || (typeof inner === 'string' && isUnstorable(inner)))
        open.push([path ? `${path}.${key}` : key, inner])
    }
  }
}

/** Postgres cannot store NUL, and a lone surrogate would come back as U+FFFD. */
function isUnstorable(text: string) {
  return text.includes('\0') || !text.isWellFormed()
}
