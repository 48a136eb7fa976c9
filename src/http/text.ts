import type { FastifyInstance } from 'fastify'
import { unstorableError } from '../core/unstorable-text.ts'

/** Refuses text in the path or query that the database cannot store unchanged. Bodies are checked where they are read. */
export function refuseUnstorableText(app: FastifyInstance) {
  app.addHook('preValidation', ({ routeOptions, params, query }, _reply, done) => {
    if (routeOptions.config.repairsText) done()
    else done(unstorableError(params) ?? unstorableError(query))
  })
}
