import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, preSerializationHookHandler, RouteOptions } from 'fastify'
import { z } from 'zod'

/** Serializing them takes a few milliseconds. */
const ENTRIES_AT_ONCE = 2_000

/**
 * Serializes the answers of routes that declare `longList` in steps if that list is long, so that other requests are served meanwhile. Call it
 * after `nameUnknownFields`, and before the routes are registered.
 */
export function serializeLongLists(app: FastifyInstance) {
  app.addHook('onRoute', route => {
    const { longList } = route.config ?? {}
    if (longList === undefined) return
    const shape = shapeOf(route)
    const serialize: preSerializationHookHandler = (_request, reply, payload, done) => {
      const list: unknown = Object(payload)[longList]
      if (!Array.isArray(list) || list.length <= ENTRIES_AT_ONCE) return done(null, payload)
      reply.serializer(String)
      serializeInSteps(shape, Object(payload), longList).then(json => {
        // The time for the answer may be over.
        if (!reply.sent) done(null, json)
      }, done)
    }
    route.preSerialization = [route.preSerialization ?? [], serialize].flat()
  })
}

function shapeOf({ method, url, schema }: RouteOptions) {
  const shape = Object(schema?.response)[200]
  if (shape instanceof z.ZodObject) return shape
  throw new Error(`${method} ${url} declares a long list, and its answer is no object`)
}

/** Returns the JSON of an answer, as `JSON.stringify` has it. */
export async function serializeInSteps(shape: z.ZodObject, answer: Record<string, unknown>, longList: string) {
  const { [longList]: list, ...others } = answer
  const fields: string[] = []
  for (const [name, field] of Object.entries(shape.shape)) {
    if (name === longList) fields.push(`${JSON.stringify(name)}:[${(await entriesOf(field, list)).join()}]`)
    else if (others[name] !== undefined)
      fields.push(JSON.stringify({ [name]: field.encode(others[name]) }).slice(1, -1))
  }
  return `{${fields.join()}}`
}

async function entriesOf(field: z.ZodType, list: unknown) {
  const parts: string[] = []
  if (!Array.isArray(list)) return parts
  for (let at = 0; at < list.length; at += ENTRIES_AT_ONCE) {
    await setImmediate()
    parts.push(JSON.stringify(field.encode(list.slice(at, at + ENTRIES_AT_ONCE))).slice(1, -1))
  }
  return parts
}
