import type { FastifyInstance } from 'fastify'
import { invalid } from '../core/api-error.ts'

/** Characters of a path that a message shows. */
const MAX_PATH = 200

/** Refuses text in the path or query that the database could not give back as it was sent. Bodies are checked where they are read. */
export function refuseUnstorableText(app: FastifyInstance) {
  app.addHook('preValidation', ({ routeOptions, params, query }, _reply, done) => {
    if (routeOptions.config.repairsText) done()
    else done(unstorableFault(params) ?? unstorableFault(query))
  })
}

/** The refusal that names where the first unstorable text is; undefined where there is none. */
export function unstorableFault(root: unknown) {
  const at = unstorableAt(root)
  if (at === undefined) return undefined
  return invalid(`${at.slice(0, MAX_PATH).toWellFormed() || 'body'}: send text without NUL characters and unpaired surrogates`)
}

/** The path of the first such text. Walks without recursion: a body may be nested more deeply than the stack goes. */
function unstorableAt(root: unknown) {
  const open: [string, unknown][] = []
  for (let next: [string, unknown] | undefined = ['', root]; next; next = open.pop()) {
    const [path, value] = next
    if (typeof value === 'string' && isUnstorable(value)) return path
    if (typeof value !== 'object' || value === null) continue
    for (const [key, inner] of Object.entries(value)) {
      if (isUnstorable(key)) return path
      if (typeof inner === 'object' || (typeof inner === 'string' && isUnstorable(inner))) open.push([path ? `${path}.${key}` : key, inner])
    }
  }
}

/** NUL cannot be stored, and half of a surrogate pair would come back as another character. */
function isUnstorable(text: string) {
  return text.includes('\0') || !text.isWellFormed()
}
