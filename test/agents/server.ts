import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { newBrowser, signInAs } from '../support/console.ts'
import { allow } from '../support/oauth.ts'
import { freePort } from '../support/ports.ts'
import { until } from '../support/process.ts'
import { buildTestApp, type Served, testDatabase } from '../support/server.ts'
import { newSharer } from '../support/sharing.ts'

/** A server that clients reach over the network, with a user who has a conversation. */
export async function startServer() {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const served: Served = { db: (await testDatabase()).db, app: await buildTestApp({ publicUrl: url }) }
  onTestFinished(() => served.app.close())
  await served.app.listen({ host: '127.0.0.1', port })
  const user = await newSharer({}, served)
  const id = await user.session({ title: 'Launch review' })
  return { served, port, url, mcpUrl: `${url}/mcp`, user, id }
}

type Server = Awaited<ReturnType<typeof startServer>>

/** Signs the user in, allows what a client asks for at that address, and brings the client the answer, as a browser does. */
export async function allowInBrowser({ served, url, user }: Server, authorizeUrl: string) {
  const browser = newBrowser(served, { headers: { host: new URL(url).host } })
  await signInAs(browser, user.email, served)
  const { to } = await allow(browser, authorizeUrl.replace(url, ''))
  // A program may name its page before it listens.
  return await until('the program listens', () => fetch(String(to)).catch(() => undefined))
}

/** Passes requests on with the token of the user, for a program that can't send a header. Returns the address of the MCP server behind it. */
export async function startProxy({ port, user: { token } }: Server) {
  const proxy = createServer((from, to) => {
    const { method = 'GET', url: path = '/' } = from
    const headers = { ...from.headers, authorization: `Bearer ${token}` }
    const passed = request({ host: '127.0.0.1', port, method, path, headers }, answer => {
      to.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(to)
    })
    from.pipe(passed.on('error', () => to.destroy()))
  })
  const ownPort = await freePort()
  await once(proxy.listen(ownPort, '127.0.0.1'), 'listening')
  onTestFinished(() => void proxy.close())
  return `http://127.0.0.1:${ownPort}/mcp`
}
