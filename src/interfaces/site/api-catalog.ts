import type { FastifyInstance } from 'fastify'
import type { Services } from '../../features/services.ts'
import { basePathOf } from '../../platform/net/links.ts'
import { PUBLIC_FILE } from '../web/public-file.ts'

const TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** Leads programs from the address of the server to the API, its OpenAPI document and its pages, by RFC 9727. It needs no token. */
export async function apiCatalog(app: FastifyInstance, { publicUrl }: Pick<Services, 'publicUrl'>) {
  const catalog = {
    linkset: [
      {
        anchor: `${publicUrl}/v1`,
        'service-desc': [{ href: `${publicUrl}/v1/openapi.json`, type: 'application/json' }],
        'service-doc': [
          { href: `${publicUrl}/v1/docs`, type: 'text/html' },
          { href: `${publicUrl}/v1/docs.md`, type: 'text/markdown' }
        ]
      }
    ]
  }
  // A string would get a charset, which the type has not.
  const body = Buffer.from(JSON.stringify(catalog))
  for (const path of new Set(['', basePathOf(publicUrl)]))
    app.get(`/.well-known/api-catalog${path}`, PUBLIC_FILE, async (_request, reply) => {
      reply.header('link', `<${publicUrl}/.well-known/api-catalog>; rel="api-catalog"`)
      return reply.type(TYPE).send(body)
    })
}
