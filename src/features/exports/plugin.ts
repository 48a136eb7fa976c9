import type { FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { EXPORT_ROUTES as routes } from '../../contract/routes/exports.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import { attachment } from '../../platform/net/attachment.ts'
import { trackDownloads } from '../recordings/follow-downloads.ts'
import { sendStored } from '../recordings/send-file.ts'
import type { Services } from '../services.ts'
import { createExport, deleteExport, findLinkedExport, getExport, listExports } from './operations.ts'
import { exportLinks, publicKeys } from './signing.ts'

/** Exports over HTTP, for tokens below `/v1`. */
export const exportsPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.createExport,
    handler: ({ actor, body }, reply) =>
      reply.answerOnce(body, async services => ({ status: 202, body: await createExport(services, actor, body) }))
  })

  app.route({
    ...routes.listExports,
    handler: ({ actor }) => listExports(services, actor)
  })

  app.route({
    ...routes.getExport,
    handler: ({ actor, params }) => getExport(services, actor, params.id)
  })

  app.route({
    ...routes.deleteExport,
    handler: async ({ actor, params }, reply) => {
      await deleteExport(services, actor, params.id)
      reply.code(204)
    }
  })
}

/** The files that signed links lead to. A link needs no token. */
export const exportLinkPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  const links = exportLinks(services)
  const downloads = trackDownloads()
  app.addHook('preClose', () => downloads.stop())

  function signedLink(request: FastifyRequest) {
    const sent = readLink(request)
    return sent && links.matches(sent.link, sent.signature) ? sent.link : undefined
  }

  app.get(
    '/export-files/:owner/:export',
    {
      config: { scopes: 'public', hasSignature: request => signedLink(request) !== undefined },
      schema: { hide: true }
    },
    async (request, reply) => {
      const found = await findLinkedExport(services, signedLink(request) ?? throwNotFound('Export'))
      downloads.follow(reply.raw)
      const named = { what: 'export', disposition: attachment(found.name) }
      return await sendStored(request, reply, services.exportsFolder, found.stored, named)
    }
  )
}

/** The public keys by which anybody can check who made an archive. */
export const exportKeysPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.get(
    '/.well-known/jwks.json',
    { config: { scopes: 'public', crossOrigin: 'any' }, schema: { hide: true } },
    async () => await publicKeys(services.secretKey)
  )
}

const SignedLink = z.object({
  owner: z.string(),
  export: z.string(),
  expires: z.string().regex(/^[1-9]\d{0,11}$/),
  signature: z.string()
})

/** Returns undefined if the URL is not a link to an export. */
function readLink({ params, query }: FastifyRequest) {
  const { data } = SignedLink.safeParse({ ...Object(query), ...Object(params) })
  if (!data) return undefined
  const { owner: userId, export: exportId, expires, signature } = data
  return { link: { userId, exportId, expires: Number(expires) }, signature }
}
