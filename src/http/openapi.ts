import swagger from '@fastify/swagger'
import type { FastifyContextConfig, FastifyInstance, RouteOptions } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { ErrorCode } from '../contract/errors.ts'
import { completeDocument } from './complete-document.ts'

/** What an OpenAPI document says besides what its routes declare. */
export interface ApiDescription {
  info: { title: string; version: string; summary: string; description: string }
  serverUrl: string
  tags: { name: string; description: string }[]
  securitySchemes: Record<string, { type: 'http'; scheme: 'bearer'; description: string }>
  /** What one has to bring for an operation; an empty list for nothing. */
  securityOf(scopes: FastifyContextConfig['scopes']): { [scheme: string]: string[] }[]
  /** What every operation may refuse with: one that is open to all, and one that is not. */
  errors: { open: readonly ErrorCode[]; guarded: readonly ErrorCode[] }
  meaning: Record<ErrorCode, string>
  /** Headers of answers, by name. */
  headers: Record<string, AnswerHeader>
  /** What the server sends of its own accord, as the document has it. */
  webhooks?: object
}

export interface AnswerHeader {
  description: string
  type: 'string' | 'integer'
  /** Whether answers that are described with it always carry it. */
  required: boolean
  /** Which statuses have it on every route; the others are those of routes that name it. */
  on?: (status: number) => boolean
}

export const REQUEST_ID: AnswerHeader = {
  description: 'The id of this request, to quote when something is wrong.',
  type: 'string',
  required: true,
  on: () => true
}

export const RETRY_AFTER: AnswerHeader = {
  description: 'Seconds after which to try again.',
  type: 'integer',
  required: true,
  on: status => status === 429 || status === 503
}

/** Collects what the routes declare into the OpenAPI document. Register it before them. */
export async function describeApi(app: FastifyInstance, api: ApiDescription) {
  const routes = new Map<string, RouteOptions>()
  app.addHook('onRoute', route => {
    for (const method of [route.method].flat()) routes.set(`${method.toLowerCase()} ${route.url.replace(/:(\w+)/g, '{$1}')}`, route)
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

/** `GET /v1/openapi.json`: the document of this very server. */
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
