// @module-tag embedded
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { KEY } from '../support/admin-api.ts'
import { messageOf } from '../support/mcp.ts'
import { migratedDatabase, newOwner, serve } from '../support/process.ts'

/** Starts `parlance mcp`, and returns functions that speak with it. */
function startBridge(url: string, token: string) {
  const child = spawn(process.execPath, ['src/cli.ts', 'mcp', '--url', url], {
    env: { ...process.env, PARLANCE_TOKEN: token },
    stdio: ['pipe', 'pipe', 'inherit']
  })
  onTestFinished(() => void child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`)
  return {
    send,
    ask: async (message: object) => {
      send(message)
      return JSON.parse(String((await lines.next()).value))
    },
    end: () => {
      child.stdin.end()
      return new Promise(resolve => child.once('exit', resolve))
    }
  }
}

test('parlance mcp serves a client of each version over stdio, with what the token may do', {
  timeout: 600_000
}, async () => {
  const place = await migratedDatabase()
  const { token } = await newOwner(place, ['sessions:read'])
  const server = await serve({ environment: place.environment })
  const older = startBridge(server.url, token)
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const { result } = await older.ask(messageOf('initialize', hello, '2025-11-25').body)
  expect(result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'parlance' } })
  older.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const list = await older.ask(messageOf('tools/list', {}, '2025-11-25').body)
  expect(list.result.tools.map(({ name }: { name: string }) => name)).toContain('list_sessions')
  const call = { name: 'list_sessions', arguments: {} }
  const listed = await older.ask(messageOf('tools/call', call, '2025-11-25').body)
  expect(listed.result.content[0].text).toContain('Conversations: none')
  const refused = await older.ask(
    messageOf('tools/call', { name: 'search', arguments: { query: 'x' } }, '2025-11-25').body
  )
  expect(refused).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32_000, message: 'The token lacks the scope sessions:search' }
  })
  expect(await older.end()).toBe(0)

  const current = startBridge(server.url, token)
  expect((await current.ask(messageOf('server/discover').body)).result.supportedVersions).toEqual(['2026-07-28'])
  expect((await current.ask(messageOf('tools/call', call).body)).result.content[0].text).toContain(
    'Conversations: none'
  )
  expect((await current.ask({ jsonrpc: '2.0', id: 'x', method: 'nonsense' })).error).toBeDefined()
  expect(await current.end()).toBe(0)

  const wrong = startBridge(server.url, 'prl_wrong')
  expect(await wrong.ask(messageOf('tools/list').body)).toMatchObject({
    error: { code: -32_000, message: 'The token is unknown, expired or revoked; send a current one' }
  })
  server.kill('SIGKILL')
  await server.ended
  expect((await wrong.ask(messageOf('tools/list').body)).error.message).toMatch(
    /^The server at http:\/\/\S+\/mcp does not answer \(ECONNREFUSED\)$/
  )
})

test('parlance mcp answers each call with the reason while its token is revoked or its server is away', {
  timeout: 600_000
}, async () => {
  const place = await migratedDatabase()
  const { id, token, tokenId } = await newOwner(place, ['sessions:read'])
  const server = await serve({ environment: { ...place.environment, APP_API_KEY: KEY } })
  const bridge = startBridge(server.url, token)
  const call = (own: string) => {
    const { body } = messageOf('tools/call', { name: 'list_sessions', arguments: {} })
    return bridge.ask({ ...body, id: own })
  }
  expect((await call('first')).result.content[0].text).toContain('Conversations: none')
  const revoked = await fetch(`${server.adminUrl}/app/v1/users/${id}/tokens/${tokenId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${KEY}` }
  })
  expect(revoked.status).toBe(200)
  expect(await call('second')).toEqual({
    jsonrpc: '2.0',
    id: 'second',
    error: { code: -32_000, message: 'The token is unknown, expired or revoked; send a current one' }
  })
  server.kill('SIGKILL')
  await server.ended
  // Nobody waits for an answer to a notification, so it gets none.
  bridge.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  expect(await call('third')).toMatchObject({
    id: 'third',
    error: { code: -32_000, message: expect.stringMatching(/^The server at \S+ does not answer \(ECONNREFUSED\)$/) }
  })
  expect(await bridge.end()).toBe(0)
})
