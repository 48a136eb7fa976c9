import { Agent } from 'undici'
import { UnexpectedStatus } from '../../platform/net/unexpected-status.ts'
import type { Fetcher } from '../../platform/ports/fetcher.ts'
import { checkUrl, type WebhookSettings } from './address.ts'
import { openConnector } from './connector.ts'
import { BlockedAddress } from './errors.ts'

const TIMEOUT_MS = 5_000

export function openFetcher(settings: WebhookSettings): Fetcher {
  const { connect } = openConnector(settings)
  const agent = new Agent({ connect, allowH2: false, pipelining: 1, maxResponseSize: -1 })

  return {
    async fetch(url, { types, maxBytes }) {
      if (!(checkUrl(url, settings) instanceof URL)) throw new BlockedAddress(url)
      const { origin, pathname, search } = new URL(url)
      const { statusCode, headers, body } = await agent.request({
        origin,
        path: pathname + search,
        method: 'GET',
        headers: { accept: types.join(', '), 'user-agent': 'Parlance/1.0' },
        signal: AbortSignal.timeout(TIMEOUT_MS)
      })
      // A body that is destroyed unread emits an error, which ends the process if nothing hears it.
      body.on('error', () => {})
      try {
        if (statusCode !== 200) throw new UnexpectedStatus(statusCode)
        const sent = String(headers['content-type'])
        if (!types.some(type => sent.startsWith(type))) throw new Error(`The answer is not ${types.join(' or ')}`)
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
