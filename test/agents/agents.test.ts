// @module-tag embedded
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../support/ports.ts'
import { pageOf, speakWith, startClient } from './programs.ts'
import { allowInBrowser, startProxy, startServer } from './server.ts'

const INSPECTOR = '@modelcontextprotocol/inspector/clients/launcher/build/index.js'
const REMOTE = 'mcp-remote/dist/proxy.js'
const CONFORMANCE = '@modelcontextprotocol/conformance/dist/index.js'

test('the Inspector lists the tools, none of which it warns of, and calls one', async () => {
  const { mcpUrl, user, id } = await startServer()
  const inspect = async (...words: string[]) => {
    const target = ['--cli', mcpUrl, '--transport', 'http', '--header', `Authorization: Bearer ${user.token}`]
    const { code, stdout, stderr } = await startClient(INSPECTOR, [...target, ...words]).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  const { tools } = await inspect('--method', 'tools/list', '--strict')
  expect(tools.map(({ name }: { name: string }) => name)).toContain('get_session')
  const called = await inspect('--method', 'tools/call', '--tool-name', 'get_session', '--tool-arg', `id=${id}`)
  expect(called.content[0].text).toContain('Launch review')
})

/** Starts mcp-remote, and says hello to the server through it. */
async function greet(client: ReturnType<typeof startClient>) {
  const { ask, send } = speakWith(client)
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const { result } = await ask('initialize', hello)
  expect(result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'parlance' } })
  send({ method: 'notifications/initialized' })
  return ask
}

test('mcp-remote passes messages on with a header', async () => {
  const { mcpUrl, user, id } = await startServer()
  const header = ['--header', `Authorization: Bearer ${user.token}`]
  const ask = await greet(startClient(REMOTE, [mcpUrl, '--allow-http', '--transport', 'http-only', ...header]))
  const { result } = await ask('tools/call', { name: 'get_session', arguments: { id } })
  expect(result.content[0].text).toContain('Launch review')
})

test('mcp-remote registers, leads its user to the consent page, gets tokens and calls a tool with them', async () => {
  const server = await startServer()
  const client = startClient(REMOTE, [server.mcpUrl, '--allow-http', '--transport', 'http-only'])
  const greeting = greet(client)
  const page = await Promise.race([pageOf(client, server.url), greeting.then(() => 'no page')])
  expect((await allowInBrowser(server, page)).status).toBe(200)
  const ask = await greeting
  const { result } = await ask('tools/call', { name: 'get_session', arguments: { id: server.id } })
  expect(result.content[0].text).toContain('Launch review')
})

test.each(['2025-11-25', '2026-07-28'])(
  'the conformance suite finds nothing at %s but what its file of expected failures explains',
  async version => {
    const url = await startProxy(await startServer())
    const expected = resolve(`test/agents/expected-failures-${version}.yaml`)
    const words = ['server', '--url', url, '--requirements', version, '--expected-failures', expected]
    const { code, stdout, stderr } = await startClient(CONFORMANCE, words).ended
    expect({ code, stderr, summary: summaryOf(stdout) }).toMatchObject({ code: 0, stderr: '' })
  }
)

/**
 * Of its two scenarios, one reads the metadata, and one goes from the page to the token. The others of OAuth are for clients, whose server it
 * plays itself.
 */
test('the conformance suite has nothing to correct in the authorization server', async () => {
  const server = await startServer()
  const port = String(await freePort())
  const registered = await fetch(`${server.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [`http://127.0.0.1:${port}/callback`] })
  })
  const { client_id: clientId } = (await registered.json()) as { client_id: string }
  const target = ['--url', server.url, '--resource', server.mcpUrl, '--client-id', clientId, '--port', port]
  const client = startClient(CONFORMANCE, ['authorization', ...target])
  await allowInBrowser(server, await pageOf(client, server.url))
  const { code, stdout } = await client.ended
  expect({ code, summary: summaryOf(stdout) }).toEqual({
    code: 0,
    summary: [
      '✓ authorization-server-metadata-endpoint: 2 passed, 0 failed',
      '✓ authorization-code-grant: 1 passed, 0 failed',
      'Total: 3 passed, 0 failed'
    ]
  })
})

function summaryOf(stdout: string) {
  const [, summary = stdout] = stdout.split('=== SUMMARY ===')
  return summary.split('\n').filter(line => line !== '')
}
