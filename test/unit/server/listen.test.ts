import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { OperatorError } from '../../../src/platform/core/operator-error.ts'
import { listen, PUBLIC_PORT } from '../../../src/server/listen.ts'

test('a system that cannot share a port is one sentence that names the setting', async () => {
  const app = Object.assign(Fastify(), {
    listen: () => Promise.reject(Object.assign(new Error('listen ENOTSUP'), { code: 'ENOTSUP' }))
  })
  const at = { host: '127.0.0.1', port: 8080, reusePort: true }
  await expect(listen(app, at, PUBLIC_PORT)).rejects.toThrow(OperatorError)
  await expect(listen(app, at, PUBLIC_PORT)).rejects.toThrow(/^REUSE_PORT: this system cannot share a port/)
})
