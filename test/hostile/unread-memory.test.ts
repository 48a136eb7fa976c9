import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { UNLIMITED } from '../faults/load.ts'
import { CONTAINER_BYTES } from '../support/container.ts'
import { canLimitMemory, memoryGroup } from '../support/control-group.ts'
import { type LongTranscript, withLongTranscript } from '../support/long-transcript.ts'
import { onPostgres } from '../support/process.ts'

const LONG = process.env.SECURITY === 'long'
const CONNECTIONS = 40
const HELD_MS = 120_000
/** The embedded database is in the server's process. */
const BYTES = onPostgres ? CONTAINER_BYTES : 2 * CONTAINER_BYTES

/** What the container image sets for the allocator of memory. */
const ALLOCATOR = Object.fromEntries(
  [...readFileSync('Dockerfile', 'utf8').matchAll(/\b(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value])
)

test.runIf(LONG && canLimitMemory)(
  `twenty corrections of 50,000 segments and then ${CONNECTIONS} unread transcripts leave a server within ${BYTES / 2 ** 20} MiB alive`,
  { timeout: 900_000 },
  async () => {
    const long = await withLongTranscript({ ...UNLIMITED, ...ALLOCATOR }, { group: memoryGroup(BYTES) })
    const { id, ask, askAsOther, server } = long
    const corrections = Array.from({ length: 20 }, (_, at) =>
      ask('PATCH', `/v1/sessions/${id}/speakers`, { from: 'Ada', segments: [at * 3], name: `Guest ${at}` })
    )
    const corrected = (await Promise.all(corrections)).map(({ status }) => status)
    // A slow machine makes not all of them in the time for an answer.
    expect(corrected.filter(status => status !== 200 && status !== 503)).toEqual([])

    const held = Array.from({ length: CONNECTIONS }, () => hold(long))
    const lists: { status: number; ms: number }[] = []
    const until = Date.now() + HELD_MS
    while (Date.now() < until) {
      const before = performance.now()
      const { status } = await askAsOther('GET', '/v1/sessions')
      lists.push({ status, ms: performance.now() - before })
      await setTimeout(500)
    }
    expect(lists.filter(({ status, ms }) => status !== 200 || ms > 1_000)).toEqual([])
    for (const { statuses } of held) expect(statuses.filter(status => status !== 200 && status !== 503)).toEqual([])

    for (const { socket } of held) socket.destroy()
    await setTimeout(1_000)
    const file = await ask('GET', `/v1/sessions/${id}/transcript.vtt`)
    expect([file.status, file.text.slice(0, 6)]).toEqual([200, 'WEBVTT'])
    expect(server.output.stderr).toBe('')
  }
)

/** Asks for the transcript on a connection of its own, and reads nothing but the status. */
function hold({ server, id, token }: LongTranscript) {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const statuses: number[] = []
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.once('data', begun => {
    socket.pause()
    statuses.push(Number(begun.toString().split(' ')[1]))
  })
  socket.write(`GET /v1/sessions/${id}/transcript HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  return { socket, statuses }
}
