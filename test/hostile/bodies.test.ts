// @module-tag embedded
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { UNLIMITED } from '../faults/load.ts'
import { CONTAINER_BYTES, CONTAINER_HEAP } from '../support/container.ts'
import { migratedDatabase, newOwner, type Running, serve, until } from '../support/process.ts'

const MEBIBYTE = 1024 * 1024
/** The bodies take about 100 ms each on an idle machine. On a busy one the same work takes several times as long, and other work of the server falls into it. */
const MAX_CPU_MS = 500
const room = LIMITS.patchBytes - 200
const tiny = (bytes: number, value: string) =>
  `{"query":"x","z":[${value},${`${value},`.repeat(bytes / (value.length + 1) - 20)}${value}]}`
const long = (bytes: number, piece: string) => `{"notes":"${piece.repeat(bytes / Buffer.byteLength(piece) - 1)}"}`

test.runIf(existsSync('/proc/self/clear_refs'))(
  'no body, accepted or refused, holds the server for long or takes much memory',
  { timeout: 300_000 },
  async () => {
    const place = await migratedDatabase()
    const { token } = await newOwner(place)
    const server = await serve({ environment: { ...place.environment, ...UNLIMITED, ...CONTAINER_HEAP } })
    const post = async (method: string, path: string, body: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      return await fetch(`${server.url}${path}`, { method, headers, body })
    }
    const change = async (body: string) => (await post('PATCH', '/v1/sessions/ses_none', body)).status
    const search = async (body: string) => (await post('POST', '/v1/sessions/search', body)).status
    // What the program compiles and keeps for good at its first large body is no cost of the body.
    await change(long(room, 'a'))
    // Nor is the embedding model, which is loaded while the first searches go by words.
    await until('the model is loaded', async () => {
      const { status, headers } = await post('POST', '/v1/sessions/search', '{"query":"x"}')
      return status === 200 && !headers.has('x-search-mode')
    })

    const bodies: [string, number, () => Promise<number>][] = [
      ['a search with too many values', 413, () => search(tiny(LIMITS.searchBytes, '{}'))],
      ['a search over its limit', 413, () => search(tiny(4 * MEBIBYTE, '{}'))],
      ['objects', 413, () => change(tiny(room, '{}'))],
      ['lists', 413, () => change(tiny(room, '[]'))],
      ['numbers', 413, () => change(tiny(room, '1'))],
      ['as many values as are allowed', 400, () => change(`{"z":[${'{},'.repeat(LIMITS.bodyValues - 10)}{}]}`)],
      [
        'as many items as are allowed values',
        400,
        () => change(`{"action_items":[${'{},'.repeat(LIMITS.bodyValues - 10)}{}]}`)
      ],
      ['nested lists', 413, () => change('['.repeat(room))],
      ['keys', 413, () => change(`{${'"":1,'.repeat(room / 5 - 1)}"":1}`)],
      ['escapes', 400, () => change(long(room, '\\u0041'))],
      ['escaped backslashes', 400, () => change(long(room, '\\\\'))],
      ['half pairs', 400, () => change(long(room, '\\ud800'))],
      ['pairs', 400, () => change(long(room, '\\ud83d\\ude00'))],
      ['Chinese', 400, () => change(long(room, '中'))],
      ['line breaks', 400, () => change('\n'.repeat(room))],
      ['a number of millions of digits', 404, () => change(`{"title":"x","z":${'9'.repeat(room - 20)}}`)],
      ['a key of megabytes', 400, () => change(`{"${'a'.repeat(room - 20)}\\u0000":1}`)]
    ]
    for (const [name, status, send] of bodies) {
      const times: number[] = []
      for (let sent = 0; sent < 3; sent++) {
        const before = costOf(server)
        const answered = await send()
        const after = costOf(server)
        times.push(after.cpuMs - before.cpuMs)
        expect({ name, answered }).toEqual({ name, answered: status })
        expect({ name, bytes: after.peak - before.resident }).toEqual({
          name,
          bytes: expect.toSatisfy(bytes => bytes < 50 * MEBIBYTE)
        })
        expect(after.peak).toBeLessThan(CONTAINER_BYTES)
      }
      // The least of three is what the body costs.
      expect({ name, cpuMs: Math.min(...times) }).toEqual({ name, cpuMs: expect.toSatisfy(ms => ms < MAX_CPU_MS) })
    }
  }
)

/** What the process has used up to now, and its greatest size since this was last asked. */
function costOf({ pid }: Running) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1])
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .split(') ')[1]!
    .split(' ')
    .slice(11, 13)
    .map(Number)
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return { cpuMs: (user + system) * 10, peak: kib('VmHWM') * 1024, resident: kib('VmRSS') * 1024 }
}
