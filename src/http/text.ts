import type { FastifyInstance } from 'fastify'
import { invalid } from '../core/api-error.ts'

/** NUL cannot be stored, and half of a surrogate pair would come back as another character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is the character in question.
const UNSTORABLE = /\u0000|\p{Surrogate}/u

/** Refuses text that the database could not give back as it was sent, wherever in a request it stands. */
export function refuseUnstorableText(app: FastifyInstance) {
  app.addHook('preValidation', async request => {
    const at = unstorableAt(request.params) ?? unstorableAt(request.query) ?? unstorableAt(request.body)
    if (at !== undefined) throw invalid(`${at || 'body'}: send text without NUL characters and unpaired surrogates`)
  })
}

/** The path of the first such text. Walks without recursion: a body may be nested more deeply than the stack goes. */
function unstorableAt(root: unknown) {
  const open: [string, unknown][] = [['', root]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [path, value] = next
    if (typeof value === 'string' && UNSTORABLE.test(value)) return path
    if (typeof value !== 'object' || value === null) continue
    for (const [key, inner] of Object.entries(value)) {
      if (UNSTORABLE.test(key)) return path
      open.push([path ? `${path}.${key}` : key, inner])
    }
  }
}
