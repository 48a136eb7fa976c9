import swagger from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
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

/** `GET /openapi.json`: the document of this server. */
export async function openapiRoute(app: FastifyInstance) {
  let text: string | undefined
  app.get(
    '/openapi.json',
    {
      config: { scopes: 'public' },
      schema: {
        operationId: 'getOpenapi',
        tags: ['About'],
        summary: 'Get this document',
        description: 'The OpenAPI document of the server. Needs no token.',
        response: { 200: z.looseObject({ openapi: z.string() }) }
      }
    },
    async (_request, reply) => {
      text ??= JSON.stringify(app.swagger())
      return reply.type('application/json; charset=utf-8').send(text)
    }
  )
}
