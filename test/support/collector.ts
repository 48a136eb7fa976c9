import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Told {
  name: string
  kind: number
  status: unknown
  attributes: Record<string, unknown>
  resource: Record<string, unknown>
}

interface Attribute {
  key: string
  value: Record<string, unknown>
}

/** A collector on this machine that takes spans over OTLP/HTTP as JSON. */
export async function startCollector() {
  const spans: Told[] = []
  /** Requests as they arrived: request line, headers and body. */
  const raw: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    raw.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`)
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans)
      for (const scope of scopeSpans)
        for (const { name, kind, status, attributes } of scope.spans)
          spans.push({ name, kind, status, attributes: valuesOf(attributes), resource: valuesOf(resource.attributes) })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise(done => server.close(done))
  })
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, raw }
}

function valuesOf(attributes: Attribute[]) {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
