// @module-tag embedded
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { makeToken } from '../../src/features/access/token-format.ts'
import { issueToken } from '../../src/features/access/tokens.ts'
import { newId } from '../../src/platform/core/ids.ts'
import { CONTAINER_HEAP } from '../support/container.ts'
import { addPlainUser } from '../support/plain-user.ts'
import { migratedDatabase, onPostgres, openPlace, type Place, serve, until } from '../support/process.ts'

const long = process.env.FAULTS === 'long'
const SLOW = { timeout: long ? 3_600_000 : 600_000 }
const MEBIBYTE = 1024 * 1024

/** As many requests as a connection may have in flight. */
const BATCH = LIMITS.connections.requests

describe.runIf(existsSync('/proc/self/status'))(
  'the memory of a server stays level below 512 MiB while requests come',
  () => {
    test.each([
      ['from ever new addresses', long ? 1_000_000 : 20_000, (n: number) => forwardedFor(addressOf(n)), '401'],
      [
        'with ever new text of 12 KB in place of an address',
        long ? 200_000 : 20_000,
        (n: number) => forwardedFor(`${n}`.padEnd(12_000, 'x')),
        '401'
      ],
      [
        'from ever new addresses that a proxy adds to 12 KB of text',
        long ? 50_000 : 30_000,
        (n: number) =>
          forwardedFor(`${'x'.repeat(12_000)}, 198.${100 + (n >> 14)}.${100 + ((n >> 7) & 127)}.${100 + (n & 127)}`),
        '401'
      ],
      [
        'with ever new tokens that nobody has',
        long ? 300_000 : 5_000,
        (n: number) => `${forwardedFor(addressOf(n))}${bearer(makeToken())}`,
        '401'
      ]
    ])('%s', SLOW, async (_, count, headersOf, status) => {
      const { server } = await crowded()
      expect(await growthOf(server, count, headersOf)).toEqual({ [status]: count })
    })

    // The embedded database keeps its pages in the same process, and grows by what it reads of each user.
    test.runIf(long && onPostgres)('with 100,000 tokens of as many users', SLOW, async () => {
      const { place, server } = await crowded()
      const tokens = await tokensOf(place, 100_000)
      expect(await growthOf(server, tokens.length, n => bearer(tokens[n] ?? ''))).toEqual({ 200: tokens.length })
    })
  }
)

/** A server in a small container: what it keeps beyond its heap ends it, and garbage is collected in time. */
async function crowded() {
  const place = await migratedDatabase()
  const settings = {
    TRUST_PROXY: '1',
    LOG_LEVEL: 'fatal',
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...CONTAINER_HEAP
  }
  const environment = { ...place.environment, ...settings }
  return { place, server: await serve({ environment }) }
}

/** Sends so many requests and counts the answers by status. The second half of them may not grow the process. */
async function growthOf({ pid, url }: { pid: number; url: string }, count: number, headersOf: (n: number) => string) {
  const statuses: Record<string, number> = {}
  const half = Math.ceil(count / 2)
  await send(url, 0, half, headersOf, statuses)
  let before = residentOf(pid).resident
  await send(url, half, count, headersOf, statuses)
  // A busy server collects garbage late, and grows once when its background work begins. What is kept of requests grows each time.
  const isLevel = async () => {
    const { resident } = residentOf(pid)
    if (resident - before < 64 * MEBIBYTE) return true
    before = resident
    await send(url, half, count, headersOf, {})
    return false
  }
  await until('the memory is level', isLevel, SLOW.timeout / 2)
  const { peak } = residentOf(pid)
  expect(peak).toBeLessThan(512 * MEBIBYTE)
  return statuses
}

async function send(
  url: string,
  from: number,
  to: number,
  headersOf: (n: number) => string,
  statuses: Record<string, number>
) {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('latin1')
  await once(socket, 'connect')
  const closed = once(socket, 'close').then(() => Promise.reject(new Error('The server closed the connection')))
  for (let start = from; start < to; start += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, to - start) }, (_, index) => start + index)
    socket.write(numbers.map(n => `GET /v1/account HTTP/1.1\r\nHost: x\r\n${headersOf(n)}\r\n`).join(''))
    let text = ''
    for (let answers = 0; answers < numbers.length; answers = statusesIn(text).length)
      text += (await Promise.race([once(socket, 'data'), closed]))[0]
    for (const status of statusesIn(text)) statuses[status] = (statuses[status] ?? 0) + 1
  }
  socket.destroy()
  await closed.catch(() => {})
}

function statusesIn(text: string) {
  return text.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? []
}

function residentOf(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') }
}

/** Each in a /64 of its own. */
function addressOf(n: number) {
  return `2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`
}

function forwardedFor(text: string) {
  return `X-Forwarded-For: ${text}\r\n`
}

function bearer(token: string) {
  return `Authorization: Bearer ${token}\r\n`
}

async function tokensOf(place: Place, count: number) {
  const { db, close } = await openPlace(place)
  const now = new Date()
  const tokens: string[] = []
  for (let index = 0; index < count; index++) {
    const id = newId('usr')
    await addPlainUser(db, id, { createdAt: now })
    tokens.push((await issueToken(db, id, 'crowd', ['account:read'], now)).token)
  }
  await close()
  return tokens
}
