import type { FastifyInstance, RouteOptions } from 'fastify'
import { z } from 'zod'
import { unknownFields } from '../../contract/unknown-fields.ts'

/**
 * Names the fields of a body that its route does not know in `warnings` of the answer, where this has such a field. An import document
 * has warnings of its own. Call it before the routes are registered.
 */
export function nameUnknownFields(app: FastifyInstance) {
  app.addHook('onRoute', route => {
    const shape = route.schema?.body
    if (!shape || !hasWarnings(route) || route.config?.shape === 'PackedDocument') return
    route.preValidation = (request, _reply, done) => {
      // A large body has its warnings from the process that read it.
      request.ignored ??= unknownFields(shape, request.body)
      done()
    }
    route.preSerialization = ({ ignored = [] }, _reply, payload, done) =>
      done(null, ignored.length > 0 ? withWarnings(Object(payload), ignored) : payload)
  })
}

/** An answer may have warnings of its own. */
function withWarnings(answer: { warnings?: string[] }, ignored: readonly string[]) {
  return { ...answer, warnings: [...(answer.warnings ?? []), ...ignored] }
}

function hasWarnings({ schema }: RouteOptions) {
  return Object.values(Object(schema?.response)).some(
    answer => answer instanceof z.ZodObject && 'warnings' in answer.shape
  )
}
