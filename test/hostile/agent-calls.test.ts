// @module-tag postgres
import { expect, test } from 'vitest'
import { UNLIMITED } from '../faults/load.ts'
import { INSPECTED, openLiveHeap } from '../support/live-heap.ts'
import { messageOf, VERSIONS } from '../support/mcp.ts'
import { migratedDatabase, newOwner, serve, until } from '../support/process.ts'
import { ownMemoryOf } from '../support/process-memory.ts'

const LONG = process.env.SECURITY === 'long'
/** After the first calls, code is compiled and caches are full. */
const [WARM, CALLS] = LONG ? [3_000, 100_000] : [3_000, 10_000]
const IN_FLIGHT = 12
const MEBIBYTE = 1024 * 1024
/** The heap varies by half of this between two measurements. Anything that 7,000 calls keep, and be it an id each with its place in a map, is more. */
const MAX_GROWTH = 1.5 * MEBIBYTE
const SEGMENTS = Array.from({ length: 60 }, (_, n) => ({
  speaker: n % 2 ? 'Ada' : 'Ben',
  start: n * 5,
  end: n * 5 + 5,
  text: `We decided on offer ${n} after a long discussion of its price.`
}))

test(`the memory of a server after ${CALLS} calls of tools is that after the first ${WARM}`, {
  timeout: 1_800_000
}, async () => {
  const place = await migratedDatabase()
  const { token } = await newOwner(place)
  const server = await serve({ environment: { ...place.environment, ...UNLIMITED, ...INSPECTED } })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const made = await fetch(`${server.url}/v1/sessions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ title: 'Offers', summary: 'We compared offers.', segments: SEGMENTS })
  })
  const { id } = (await made.json()) as { id: string }
  await until('the session is completed', async () => {
    const { status } = (await server.get(`/v1/sessions/${id}`, token)).body as { status: string }
    return status === 'completed' || undefined
  })

  const calls = [
    ['get_session', { id }],
    ['get_transcript', { id }],
    ['list_sessions', {}],
    ['fetch', { id: `${id}#20` }],
    ['list_people', {}],
    ['list_action_items', {}],
    ['list_folders', {}],
    ['get_session', { id: 'ses_none' }],
    // One that the protocol refuses, which gets a server of its own.
    ['no_tool', {}]
  ] as const
  const messages = VERSIONS.flatMap(version => [
    ...calls.map(([name, args]) => messageOf('tools/call', { name, arguments: args }, version)),
    messageOf('tools/list', {}, version)
  ])
  // Seldom, because it costs a hundred times as much as the others.
  const search = messageOf('tools/call', { name: 'search_sessions', arguments: { query: 'price of the offer' } })
  let number = 0

  async function callUntil(count: number) {
    const keepCalling = async () => {
      while (number < count) {
        const { body, headers: own } = number++ % 100 === 0 ? search : messages[number % messages.length]!
        const answer = await fetch(`${server.url}/mcp`, {
          method: 'POST',
          headers: { ...own, ...headers },
          body: JSON.stringify(body)
        })
        const text = await answer.text()
        if (answer.status !== 200 || !text.includes('"jsonrpc"')) throw new Error(`${answer.status}: ${text}`)
      }
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, keepCalling))
  }

  const heap = await openLiveHeap(server)
  await callUntil(WARM)
  const first = { live: await heap.measure(), resident: ownMemoryOf(server.pid) }
  await callUntil(CALLS)
  const last = { live: await heap.measure(), resident: ownMemoryOf(server.pid) }
  heap.close()
  expect((last.live - first.live) / MEBIBYTE).toBeLessThan(MAX_GROWTH / MEBIBYTE)
  // As the soak of a server allows it: pages that the heap has given back are not all returned to the system.
  expect(last.resident / MEBIBYTE).toBeLessThan((first.resident / MEBIBYTE) * 1.1 + 10)
})
