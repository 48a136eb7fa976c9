import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { ABOUT_ROUTES, PUBLIC_ABOUT_ROUTES } from '../../../contract/routes/about.ts'
import { toActionsProfile } from './actions-profile.ts'
import type { ApiDescription } from './api-description.ts'
import { completeDocument } from './complete-document.ts'

/** Collects what routes declare into the OpenAPI document. Register it before the routes. */
export async function describeApi(app: FastifyInstance, api: ApiDescription) {
  const routes = new Map<string, RouteOptions>()
  app.addHook('onRoute', route => {
    for (const method of [route.method].flat())
      routes.set(`${method.toLowerCase()} ${route.url.replace(/:(\w+)/g, '{$1}')}`, route)
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { ...api.info, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: api.serverUrl }],
      tags: api.tags,
      components: { securitySchemes: api.securitySchemes }
    },
    transform: jsonSchemaTransform,
    transformObject: input => completeDocument(jsonSchemaTransformObject(input), routes, api)
  })
}

interface OpenapiOptions {
  /** The address of the server for whoever sends the request. */
  serverUrlOf(request: FastifyRequest): string
  /** The address for assistants, which take only a whole one. Without it there is no such profile. */
  actionsUrl?: string
}

/** `GET /openapi.json`: the document of this server. */
export async function openapiRoute(app: FastifyInstance, { serverUrlOf, actionsUrl }: OpenapiOptions) {
  /** By the address of the server, of which there are two, or by the profile. */
  const texts = new Map<string, string>()
  const once = (key: string, make: () => object) => {
    const text = texts.get(key) ?? JSON.stringify(make())
    texts.set(key, text)
    return text
  }
  app.route({
    ...(actionsUrl === undefined ? ABOUT_ROUTES : PUBLIC_ABOUT_ROUTES).getOpenapi,
    handler: async (request, reply) => {
      const url = serverUrlOf(request)
      const text =
        actionsUrl !== undefined && Object(request.query).profile === 'actions'
          ? once('actions', () => toActionsProfile(app.swagger(), actionsUrl))
          : once(url, () => ({ ...app.swagger(), servers: [{ url }] }))
      return reply.type('application/json; charset=utf-8').send(text)
    }
  })
}
