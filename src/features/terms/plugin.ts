import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { TERM_ROUTES as routes } from '../../contract/routes/terms.ts'
import { invalid } from '../../platform/core/api-error.ts'
import { preferredType } from '../../platform/net/accept.ts'
import { attachment } from '../../platform/net/attachment.ts'
import type { Services } from '../services.ts'
import { applyTerm, getTermApplication } from './application.ts'
import { createTerm, deleteTerm, getTerm, importTerms, listTerms, updateTerm } from './operations.ts'
import { readCsv, toCsv } from './terms-csv.ts'

/** Terms over HTTP: for tokens below `/v1`, and for the operator below a user's path. */
export const termsPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  await app.register(importPlugin)

  app.route({
    ...routes.listTerms,
    handler: async ({ actor, headers }, reply) => {
      const list = await listTerms(services, actor)
      reply.header('vary', 'Accept')
      if (preferredType(headers.accept, ['application/json', 'text/csv']) === 'application/json') return list
      reply.header('content-disposition', attachment('terms.csv'))
      return sendCsv(reply, toCsv(list.terms))
    }
  })

  app.route({
    ...routes.getTerm,
    handler: ({ actor, params }) => getTerm(services, actor, params.id)
  })

  app.route({
    ...routes.createTerm,
    handler: ({ actor, body }, reply) =>
      reply.answerOnce(body, async services => ({ status: 201, body: await createTerm(services, actor, body) }))
  })

  app.route({
    ...routes.updateTerm,
    handler: ({ actor, params, body }) => updateTerm(services, actor, params.id, body)
  })

  app.route({
    ...routes.deleteTerm,
    handler: async ({ actor, params }, reply) => {
      await deleteTerm(services, actor, params.id)
      reply.code(204)
    }
  })

  app.route({
    ...routes.applyTerm,
    handler: async ({ actor, params, query }, reply) => {
      const application = await applyTerm(services, actor, params.id, { dryRun: query.dry_run })
      reply.code(202)
      return application
    }
  })

  app.route({
    ...routes.getTermApplication,
    handler: ({ actor, params }) => getTermApplication(services, actor, params.id)
  })
}

/** Sends a file past the response schema. */
function sendCsv(reply: FastifyReply, text: string) {
  return reply.type('text/csv; charset=utf-8').send(text)
}

const importPlugin: FastifyPluginAsyncZod = async app => {
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))

  app.route({
    ...routes.importTerms,
    handler: ({ actor, body }, reply) => {
      if (!Buffer.isBuffer(body))
        throw invalid({ field: 'body', expected: 'CSV with the columns heard and meant, as Content-Type: text/csv' })
      const { terms, warnings } = readCsv(body)
      return reply.answerOnce(terms, async services => ({
        status: 200,
        body: { ...(await importTerms(services, actor, terms)), ...(warnings.length > 0 && { warnings }) }
      }))
    }
  })
}
