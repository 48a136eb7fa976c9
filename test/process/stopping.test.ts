// @module-tag postgres
import { expect, test } from 'vitest'
import { migratedDatabase, serve } from '../support/process.ts'

test('a stopping server answers for DRAIN_SECONDS, and names KEEP_ALIVE_SECONDS to its clients', {
  timeout: 300_000
}, async () => {
  const place = await migratedDatabase()
  const settings = { DRAIN_SECONDS: '4', KEEP_ALIVE_SECONDS: '7.5', EMBEDDING_MODEL: 'none' }
  const server = await serve({ environment: { ...place.environment, ...settings } })
  expect((await fetch(`${server.url}/v1/openapi.json`)).headers.get('keep-alive')).toBe('timeout=7')
  const began = performance.now()
  server.kill('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
  expect(performance.now() - began).toBeGreaterThan(4_000)
})
