import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Deprecation, RouteDescription } from '../../../src/contract/routes/route.ts'
import { buildTestApp, newUserOf, testDatabase } from '../../support/server.ts'

const LATER = { since: '2026-12-01', until: '2027-12-01', instead: '`words`' }
const SOONER = { since: '2026-11-01', until: '2027-11-15', instead: '`places.city`' }
const Place = z.object({ city: z.string(), town: z.string().optional() }).meta({ id: 'PlaceThatGoes' })
const LINK = '<http://localhost:8080/docs/api/deprecations>; rel="deprecation"; type="text/html"'

/** An application with one route more, of which these parts will go. */
async function appWith(...deprecations: Deprecation[]) {
  const app = await buildTestApp({ publicUrl: 'http://localhost:8080' })
  const route = {
    method: 'POST',
    url: '/v1/places',
    config: { scopes: ['sessions:read'], headers: ['Link'], deprecations },
    schema: {
      operationId: 'findPlaces',
      tags: ['About'],
      summary: 'Find places',
      querystring: z.object({ q: z.string().optional(), words: z.string().optional() }),
      body: z.object({ near: z.array(Place).default([]), radius: z.number().default(5) }),
      response: { 200: z.object({ places: z.array(Place), next_cursor: z.string(), has_more: z.boolean() }) }
    }
  } satisfies RouteDescription
  app.route({
    ...route,
    handler: async () => ({ places: [{ city: 'Graz', town: 'Graz' }], next_cursor: 'graz', has_more: true })
  })
  const { token } = await newUserOf({ ...(await testDatabase()), app })
  const ask = async (url: string, body: object = {}) => {
    const answer = await app.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${token}`, host: 'localhost:8080' },
      payload: body
    })
    const { deprecation, sunset, link } = answer.headers
    return { status: answer.statusCode, deprecation, sunset, link }
  }
  await app.ready()
  const document = JSON.parse(JSON.stringify(app.swagger()))
  return { ask, operation: document.paths['/v1/places'].post, schemas: document.components.schemas }
}

const NEXT = '<http://localhost:8080/v1/places?cursor=graz>; rel="next"'
const ANNOUNCED = { deprecation: '@1796083200', sunset: 'Wed, 01 Dec 2027 23:59:59 GMT' }
const SILENT = { status: 200, deprecation: undefined, sunset: undefined, link: expect.not.stringContaining(LINK) }

test('a deprecated route says so in each successful answer, and in the document', async () => {
  const { ask, operation } = await appWith(LATER)
  expect(await ask('/v1/places')).toEqual({ status: 200, ...ANNOUNCED, link: `${NEXT}, ${LINK}` })
  expect(await ask('/v1/places?unknown=1')).toMatchObject({ status: 400, deprecation: undefined })
  expect(operation).toMatchObject({
    deprecated: true,
    description: 'Deprecated since 2026-12-01, and there until 2027-12-01: use `words`.'
  })
  expect(Object.keys(operation.responses[200].headers)).toEqual(
    expect.arrayContaining(['Deprecation', 'Sunset', 'Link'])
  )
})

test('a deprecated parameter says so where it is sent, and in the document', async () => {
  const { ask, operation } = await appWith({ ...LATER, part: { in: 'query', name: 'q' } })
  expect(await ask('/v1/places?words=a')).toEqual(SILENT)
  expect(await ask('/v1/places?q=a')).toMatchObject({ status: 200, ...ANNOUNCED })
  const { parameters, deprecated } = operation
  expect(deprecated).toBeUndefined()
  expect(parameters.map((one: { name: string; deprecated?: boolean }) => [one.name, one.deprecated])).toEqual([
    ['q', true],
    ['words', undefined]
  ])
})

test('a deprecated field of the body says so where it is sent, also one of an entry and one with a default', async () => {
  const { ask, operation, schemas } = await appWith(
    { ...LATER, part: { in: 'body', name: 'near.town' } },
    { ...SOONER, part: { in: 'body', name: 'radius' } }
  )
  expect(await ask('/v1/places', { near: [{ city: 'Graz' }] })).toEqual(SILENT)
  expect(await ask('/v1/places', { near: [{ city: 'Graz' }, { city: 'Linz', town: 'Linz' }] })).toMatchObject(ANNOUNCED)
  const both = await ask('/v1/places', { near: [{ city: 'Linz', town: 'Linz' }], radius: 5 })
  expect(both).toMatchObject({ deprecation: '@1793491200', sunset: 'Mon, 15 Nov 2027 23:59:59 GMT' })
  const { radius } = operation.requestBody.content['application/json'].schema.properties
  expect([radius.deprecated, radius.default]).toEqual([true, 5])
  expect(schemas.PlaceThatGoesInput.properties.town.deprecated).toBe(true)
})

test('a deprecated field of the answer says so in each successful answer, and in the document', async () => {
  const { ask, schemas } = await appWith({ ...LATER, part: { in: 'answer', name: 'places.town' } })
  expect(await ask('/v1/places')).toMatchObject({ status: 200, ...ANNOUNCED })
  expect(schemas.PlaceThatGoes.properties).toMatchObject({
    town: { deprecated: true },
    city: expect.not.objectContaining({ deprecated: true })
  })
})

test('a route cannot say that a part goes which it does not have', async () => {
  await expect(appWith({ ...LATER, part: { in: 'query', name: 'page' } })).rejects.toThrow('findPlaces has no page')
})

test('a part cannot go within the year after it was announced', async () => {
  await expect(appWith({ ...LATER, until: '2027-11-30' })).rejects.toThrow('stays for a year')
})
