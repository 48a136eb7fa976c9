import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { invalid } from '../core/api-error.ts'

/** Refuses text that the database could not give back as it was sent, wherever in a request it stands. */
export function refuseUnstorableText(app: FastifyInstance) {
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.routeOptions.config.repairsText) return done()
    const at =
      unstorableAt(request.params) ??
      unstorableAt(request.query) ??
      unstorableAt(request.body instanceof Readable ? undefined : request.body)
    if (at === undefined) done()
    else done(invalid(`${at || 'body'}: send text without NUL characters and unpaired surrogates`))
  })
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
