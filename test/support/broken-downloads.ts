import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** The end of a download: after so many bytes the connection is cut, or nothing more arrives. */
export interface Break {
  bytes: number
  end: 'cut' | 'hold'
}

/**
 * A proxy before a server, which breaks the downloads of exports off in turn and lets all later ones pass. Returns its URL, the ranges that were
 * asked for, and the requests for new exports.
 */
export async function startBreakingProxy(target: string, breaks: Break[]) {
  const ranges: (string | undefined)[] = []
  const begun: string[] = []
  const proxy = createServer(async (request, reply) => {
    const body: Buffer[] = []
    for await (const chunk of request) body.push(chunk)
    const { authorization, range, 'content-type': type } = request.headers
    const path = request.url ?? '/'
    const answer = await fetch(`${target}${path}`, {
      method: request.method ?? 'GET',
      headers: {
        connection: 'close',
        ...(authorization && { authorization }),
        ...(range && { range }),
        ...(type && { 'content-type': type })
      },
      ...(body.length > 0 && { body: Buffer.concat(body) })
    })
    const isDownload = path.startsWith('/v1/export-files/')
    if (request.method === 'POST') begun.push(path)
    if (isDownload) ranges.push(range)
    const broken = isDownload ? breaks.shift() : undefined
    const bytes = Buffer.from(await answer.arrayBuffer())
    const length = String(bytes.length)
    reply.writeHead(answer.status, {
      'content-type': String(answer.headers.get('content-type')),
      'content-length': length
    })
    if (!broken) return reply.end(bytes)
    reply.write(bytes.subarray(0, broken.bytes))
    // The bytes that were written arrive before the connection ends.
    await wait(500)
    return broken.end === 'cut' ? reply.destroy() : reply
  })
  await new Promise<void>(listening => proxy.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, ranges, begun }
}
