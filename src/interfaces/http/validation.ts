import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ApiError, invalid } from '../../platform/core/api-error.ts'
import { refusedByShape, remedyFor } from '../../platform/core/remedy.ts'
import { unstorableError } from '../../platform/core/unstorable-text.ts'
import { findNearestName } from './nearest-name.ts'
import { ValidBody } from './transport/body.ts'
import { headerName } from './transport/raw-headers.ts'

/** The parts of a request by Fastify's name, as messages call them. */
const PARTS: Record<string, string> = { querystring: 'parameters', params: 'path', headers: 'headers', body: 'body' }

/**
 * Validates a part of a request against its zod schema. The error names the first invalid field and what to send. Unknown parameters of a
 * query are refused: a filter that is ignored would look like one that matches everything.
 */
export function compileValidator({ schema, httpPart = 'body' }: { schema: z.ZodType; httpPart?: string | undefined }) {
  const known =
    httpPart === 'querystring' && schema instanceof z.ZodObject && schema.def.catchall === undefined
      ? Object.keys(schema.shape)
      : undefined
  return (sent: unknown) => {
    if (sent instanceof ValidBody) return { value: sent.value }
    const unknown = known && Object.keys(sent ?? {}).find(name => !known.includes(name))
    if (unknown !== undefined) return { error: unknownParameter(unknown, known ?? []) }
    // Fastify passes null for a missing body; a schema would take that for a value.
    const { data, error } = schema.safeParse(sent ?? undefined, { error: remedyFor })
    if (!error) return { value: data }
    const refused = refusedByShape(error, PARTS[httpPart])
    if (httpPart !== 'headers' || refused.field === undefined) return { error: refused }
    return { error: new ApiError(refused.code, refused.problem, { ...refused, field: headerName(refused.field) }) }
  }
}

const MAX_SHOWN = 60

function unknownParameter(unknown: string, known: readonly string[]) {
  const expected = findNearestName(unknown, known) ?? (known.length > 0 ? `one of ${known.join(', ')}` : undefined)
  const problem = 'there is no such parameter'
  return invalid({
    field: unknown.slice(0, MAX_SHOWN).toWellFormed() || 'parameters',
    ...(expected === undefined ? { problem: `${problem}; leave it out` } : { problem, expected })
  })
}

/** Makes routes without parameters refuse every one. Call it before the routes are registered. */
export function refuseUnknownParameters(app: FastifyInstance) {
  const nothing = z.object({})
  app.addHook('onRoute', route => {
    if (route.config?.scopes !== 'public') route.schema = { querystring: nothing, ...route.schema }
  })
}

/** Refuses text in the path or query that the database cannot store unchanged. Bodies are checked where they are read. */
export function refuseUnstorableText(app: FastifyInstance) {
  app.addHook('preValidation', ({ routeOptions, params, query }, _reply, done) => {
    if (routeOptions.config.repairsText) done()
    else done(unstorableError(params) ?? unstorableError(query))
  })
}
