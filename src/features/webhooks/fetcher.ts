import { Agent } from 'undici'
import type { Fetcher } from '../../platform/ports/fetcher.ts'
import { checkUrl, type WebhookSettings } from './address.ts'
import { openConnector } from './connector.ts'
import { BlockedAddress } from './errors.ts'

const TIMEOUT_MS = 5_000

export function openFetcher(settings: WebhookSettings): Fetcher {
  const { connect } = openConnector(settings)
  const agent = new Agent({ connect, allowH2: false, pipelining: 1, maxResponseSize: -1 })

  return {
    async fetch(url, { type, maxBytes }) {
      if (!(checkUrl(url, settings) instanceof URL)) throw new BlockedAddress(url)
      const { origin, pathname, search } = new URL(url)
      const { statusCode, headers, body } = await agent.request({
        origin,
        path: pathname + search,
        method: 'GET',
        headers: { accept: type, 'user-agent': 'Parlance/1.0' },
        signal: AbortSignal.timeout(TIMEOUT_MS)
      })
      // A body that is destroyed unread emits an error, which ends the process if nothing hears it.
      body.on('error', () => {})
      try {
        if (statusCode !== 200) throw new Error(`The answer has the status ${statusCode}`)
        if (!String(headers['content-type']).startsWith(type)) throw new Error(`The answer is not ${type}`)
        return await readWhole(body, maxBytes)
      } finally {
        body.destroy()
      }
    },
    close: () => agent.destroy()
  }
}

async function readWhole(body: AsyncIterable<Buffer>, maxBytes: number) {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxBytes) throw new Error(`The answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
