// @module-tag postgres
import { expect, test } from 'vitest'
import { startProxy } from '../faults/proxy.ts'
import { logged } from '../support/log.ts'
import { jsonLines, migratedDatabase, newOwner, onPostgres, readiness, serve, until } from '../support/process.ts'

const SLOW = { timeout: 300_000 }

test.runIf(onPostgres)('an outage of the database is a line at its start and a line at its end', SLOW, async () => {
  const place = await migratedDatabase()
  const { token } = await newOwner(place)
  const address = new URL(place.url!)
  const proxy = await startProxy(Number(address.port || 5432))
  address.host = `127.0.0.1:${proxy.port}`
  const environment = {
    ...place.environment,
    DATABASE_URL: address.href,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_MINUTE: '10000'
  }
  const server = await serve({ environment })
  const ask = async () => (await server.get('/v1/account', token)).status
  const askMany = () => Promise.all(Array.from({ length: 50 }, ask))

  proxy.become('lost')
  proxy.reset()
  expect(new Set(await askMany())).toEqual(new Set([503]))
  await until('the server says that it is not ready', async () => (await readiness(server.adminUrl)) === 503)
  expect(new Set(await askMany())).toEqual(new Set([503]))
  proxy.become({ delayMs: 0 })
  proxy.reset()
  await until('it answers again', async () => (await ask()) === 200)
  await until('it has said so', () => logged(server, 'the database is available again').length > 0)
  const lines = jsonLines(server.output.stdout).map(({ level, msg }) => ({ level, msg }))
  expect(lines).toEqual([
    { level: 50, msg: 'the database is unavailable' },
    { level: 40, msg: 'the database is available again' }
  ])
})
