// @module-tag postgres
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { newId } from '../../src/platform/core/ids.ts'
import { startCollector } from '../support/collector.ts'
import { logged } from '../support/log.ts'
import {
  type Environment,
  fileIn,
  freePort,
  migratedDatabase,
  newOwner,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'

const SLOW = { timeout: 300_000 }

test('a collector gets the route template of each request, and none of its content', SLOW, async () => {
  const collector = await startCollector()
  const place = await migratedDatabase()
  const server = await serve({ environment: { ...place.environment, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint } })
  const owner = await newOwner(place)
  const [session, folder] = [newId('ses'), newId('fld')]
  await server.get('/v1/account', owner.token)
  await server.get(`/v1/sessions/${session}/transcript?end=1`, owner.token)
  await server.get(`/v1/sessions?folder=${folder}&limit=whisper`, owner.token)
  await server.get('/whisper', owner.token)
  await until('it has been told of four', () => collector.spans.length >= 4)

  const resource = { 'service.name': 'parlance', 'service.version': packageJson.version }
  const span = (name: string, route: string | undefined, status: number) => ({
    name,
    kind: 2,
    status: { code: 0 },
    attributes: {
      'http.request.method': 'GET',
      ...(route && { 'http.route': route }),
      'http.response.status_code': status
    },
    resource
  })
  expect(collector.spans).toEqual([
    span('GET /v1/account', '/v1/account', 200),
    span('GET /v1/sessions/:id/transcript', '/v1/sessions/:id/transcript', 404),
    span('GET /v1/sessions', '/v1/sessions', 400),
    span('unknown', undefined, 404)
  ])
  const everything = collector.raw.join('\n')
  for (const secret of [session, folder, 'whisper', owner.token, owner.id, owner.tokenId])
    expect(everything).not.toContain(secret)
})

test('a collector gets the headers that a file names', SLOW, async () => {
  const collector = await startCollector()
  const place = await migratedDatabase()
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS_FILE: fileIn(temporaryFolder(), 'headers', 'authorization=Bearer%20hush,x-team=notes\n')
  }
  const server = await serve({ environment: { ...place.environment, ...settings } })
  await server.get('/v1/openapi.json')
  await until('it has been told', () => collector.raw.length > 0)
  expect(collector.raw[0]).toMatch(/"authorization":"Bearer hush".*"x-team":"notes"/)
})

test('a server without its collector does everything else, says so once, and stops normally', SLOW, async () => {
  const place = await migratedDatabase()
  const endpoint = `http://127.0.0.1:${await freePort()}`
  const server = await serve({ environment: { ...place.environment, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } })
  const owner = await newOwner(place)
  const statuses = []
  for (let turn = 0; turn < 5; turn++) statuses.push((await server.get('/v1/account', owner.token)).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200])
  const complaints = () => logged(server, 'the collector refuses traces')
  await until('it has said so', () => complaints().length > 0)
  server.kill('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
  expect(complaints()).toEqual([expect.objectContaining({ reason: expect.any(String) })])
})

test('a sampling ratio of 0 exports no request', SLOW, async () => {
  const collector = await startCollector()
  const place = await migratedDatabase()
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_TRACES_SAMPLER_ARG: '0' }
  const server = await serve({ environment: { ...place.environment, ...settings } })
  await server.get('/v1/openapi.json')
  server.kill('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
  expect(collector.raw).toEqual([])
})

test('without a collector none of its libraries is loaded', SLOW, async () => {
  const start = async (settings: Environment) => {
    const place = await migratedDatabase()
    return await serve({ environment: { ...place.environment, ...settings, NODE_DEBUG: 'module' } })
  }
  const has = ({ output }: { output: { stderr: string } }) => /opentelemetry\/sdk-trace/.test(output.stderr)
  const told = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` })
  // It may be ready before all that it says of its modules has arrived here.
  await until('its modules are told', () => has(told))
  const alone = await start({})
  await until('its modules are told', () => /fastify/.test(alone.output.stderr))
  expect(has(alone)).toBe(false)
})
