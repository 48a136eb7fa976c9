import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { Logger, run } from 'graphile-worker'
import { Agent, request } from 'undici'
import type { Job } from '../deliveries.ts'

/** The yardstick: a general queue whose task signs and posts a body. With BATCHED, it uses the fastest settings of its documentation. */

const batched = process.env.BATCHED === 'yes'
const dispatcher = new Agent({ pipelining: 1 })

await run({
  concurrency: 24,
  noHandleSignals: true,
  logger: new Logger(() => () => {}),
  taskList: {
    async deliver(payload) {
      const { url, id, body, secret } = payload as Job
      const timestamp = Math.floor(Date.now() / 1_000)
      const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64')
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `v1,${signature}`
      }
      const answer = await request(url, { dispatcher, method: 'POST', headers, body })
      await answer.body.dump()
      if (answer.statusCode > 299) throw new Error(`The receiver answers with ${answer.statusCode}`)
    }
  },
  preset: {
    worker: {
      connectionString: process.env.DATABASE_URL,
      maxPoolSize: 10,
      ...(batched && { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 })
    }
  }
})

// An answer means that the worker is ready.
createServer((_, response) => void response.end()).listen(Number(process.env.PORT), '127.0.0.1')
