import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { ALL_SCOPES } from '../../src/contract/scopes.ts'
import { issueToken } from '../../src/features/access/tokens.ts'
import { portOf } from '../support/http.ts'
import { buildTestApp, newUser, testServer } from '../support/server.ts'

const LONG = process.env.SECURITY === 'long'
const MEBIBYTE = 1024 * 1024
const HELD_BYTES = 2 * MEBIBYTE
const CONNECTIONS = LONG ? 200 : 40
/** Longer than a busy machine takes to receive every body, because one that comes after this finds the place of another. */
const REQUEST_MS = LONG ? 60_000 : 15_000
const SLOW = { timeout: 300_000 }

async function listening() {
  const uploadFolder = mkdtempSync(join(tmpdir(), 'parlance-test-held-'))
  const app = await buildTestApp({ uploadFolder }, { requestTimeoutMs: REQUEST_MS })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await app.close()
    rmSync(uploadFolder, { recursive: true })
  })
  const { token, id: userId } = await newUser()
  /** Sends the beginning of a body and holds the rest back. Resolves to the status of the answer. */
  const hold = (path: string, begun: Buffer, sender = token) =>
    new Promise<number>(resolve => {
      const socket = connect(portOf(app), '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      let answer = ''
      socket.setEncoding('utf8').on('data', (data: string) => {
        answer += data
      })
      socket.on('error', () => {}).on('close', () => resolve(Number(answer.split(' ')[1] ?? 0)))
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${sender}\r\nContent-Type: application/json\r\nContent-Length: ${LIMITS.documentBytes}\r\nConnection: close\r\n\r\n`
      )
      socket.write(begun)
    })
  return { app, token, userId, uploadFolder, hold }
}

test(
  `${CONNECTIONS} bodies that are held back take a bounded part of memory and disk, and are ended`,
  SLOW,
  async () => {
    const { app, token, uploadFolder, hold } = await listening()
    const begun = Buffer.alloc(HELD_BYTES, ' ')
    const before = process.memoryUsage().rss
    const held = Array.from({ length: CONNECTIONS }, () => hold('/v1/sessions', begun))
    const statuses = await Promise.all(held)
    const fit = LIMITS.openBodies.perOwner / LIMITS.documentBytes
    expect(statuses.filter(status => status === 408)).toHaveLength(fit)
    expect(statuses.filter(status => status === 503)).toHaveLength(CONNECTIONS - fit)
    expect((process.memoryUsage().rss - before) / MEBIBYTE).toBeLessThan(150)
    await expect.poll(() => readdirSync(uploadFolder), { timeout: 60_000 }).toEqual([])
    const account = await fetch(`${app.listeningOrigin}/v1/account`, { headers: { authorization: `Bearer ${token}` } })
    expect(account.status).toBe(200)
  }
)

test('the tokens of a user have one budget of bodies that are held back', SLOW, async () => {
  const { token, userId, hold } = await listening()
  const { db } = await testServer()
  const other = await issueToken(db, userId, 'other', ALL_SCOPES, new Date())
  const begun = Buffer.alloc(HELD_BYTES, ' ')
  const fit = LIMITS.openBodies.perOwner / LIMITS.documentBytes
  const senders = Array.from({ length: fit }, () => [token, other.token]).flat()
  const statuses = await Promise.all(senders.map(sender => hold('/v1/sessions', begun, sender)))
  expect(statuses.toSorted()).toEqual([...Array(fit).fill(408), ...Array(fit).fill(503)])
})

test('an upload that stops arriving is ended, and its file is removed', SLOW, async () => {
  const { uploadFolder, hold } = await listening()
  expect(await hold('/v1/sessions/upload?file=a.vtt', Buffer.alloc(100_000, ' '))).toBe(408)
  await expect.poll(() => readdirSync(uploadFolder), { timeout: 60_000 }).toEqual([])
})
