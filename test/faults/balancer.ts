import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { readiness } from '../support/process.ts'

interface Instance {
  url: string
  adminUrl: string
}

/** How often instances are asked whether they are ready; as soon as they say no, they get no more requests. */
const ASK_EVERY_MS = 200

/**
 * Hands requests to the instances that are ready in turns, over connections that are kept. What was never sent, since
 * nobody listens, goes to another one; apart from that it never tries again: what fails at an instance is a 502 for the client.
 */
export async function startBalancer(instances: Instance[]) {
  const agent = new Agent({ keepAlive: true })
  let ready: Instance[] = []
  let turn = 0
  const look = async () => {
    const answers = await Promise.all(instances.map(async one => ({ one, status: await readiness(one.adminUrl) })))
    ready = answers.flatMap(({ one, status }) => (status === 200 ? one : []))
  }
  await look()
  let closed = false
  // One look after the other: an early answer that arrives late must not replace a newer one.
  void (async () => {
    for (; !closed; await wait(ASK_EVERY_MS)) await look()
  })()

  function hand(incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse, tries: number): void {
    const { method, headers, url } = incoming
    const target = ready[turn++ % ready.length]
    if (!target) return void outgoing.writeHead(502).end('no instance is ready')
    const onward = request(target.url + url, { method, headers, agent })
    onward.on('response', reply => {
      // Which connections are kept is settled for each side by itself.
      const { connection: _, 'keep-alive': __, ...kept } = reply.headers
      outgoing.writeHead(reply.statusCode ?? 502, kept)
      reply.pipe(outgoing)
    })
    onward.on('error', (fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ECONNREFUSED' && tries > 1) hand(incoming, body, outgoing, tries - 1)
      else if (outgoing.headersSent) outgoing.destroy(fault)
      else outgoing.writeHead(502).end(fault.message)
    })
    onward.end(body)
  }

  const server = createServer((incoming, outgoing) => {
    buffer(incoming).then(
      body => hand(incoming, body, outgoing, instances.length),
      () => outgoing.destroy()
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    closed = true
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** Has it know of another instance in the place of that one. */
    replace(index: number, instance: Instance) {
      instances[index] = instance
    },
    isReady: (instance: Instance) => ready.includes(instance)
  }
}
