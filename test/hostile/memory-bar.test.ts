// @module-tag postgres
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { everyScope } from '../../src/features/access/actor.ts'
import { updateUser } from '../../src/features/access/queries.ts'
import { updateShareScope } from '../../src/features/sharing/operations.ts'
import { claimShare } from '../../src/features/sharing/recipient-operations.ts'
import { openConsoleSession } from '../../src/features/sign-in/console-sessions.ts'
import { report, UNLIMITED } from '../faults/load.ts'
import { CONTAINER_BYTES } from '../support/container.ts'
import { canLimitMemory, memoryGroup } from '../support/control-group.ts'
import { messageOf } from '../support/mcp.ts'
import { migratedDatabase, newOwner, openPlace, serve, temporaryFolder, until } from '../support/process.ts'

const LONG = process.env.SECURITY === 'long'
const MAX_LOOP_MS = 100
/** For as long as an unread answer may take memory; what the server ends by itself, it ends sooner. */
const HELD_MS = 15_000
const SEGMENTS = 100_000
const [USERS, GUESTS] = [4, 10]
const SHORT = [{ speaker: 'Ada', start: 0, end: 1, text: 'Alpha budget contract delivery.' }]

/** What the container image sets for the allocator of memory. */
const ALLOCATOR = Object.fromEntries(
  [...readFileSync('Dockerfile', 'utf8').matchAll(/\b(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value])
)

interface Request {
  method?: string
  path: string
  headers: Record<string, string>
  body?: string
  /** The length that the request announces. Default: that of its body. */
  length?: number
}

/** A server of 512 MiB, users with sessions of 100,000 segments, guests who read one of them, and a user who only probes. */
async function besieged() {
  const place = await migratedDatabase()
  const watched = join(temporaryFolder(), 'loop')
  const watch = { LOOP_WATCH: watched, NODE_OPTIONS: `--import ${join(process.cwd(), 'test/support/loop-watch.ts')}` }
  const server = await serve({
    environment: { ...place.environment, ...UNLIMITED, ...ALLOCATOR, ...watch },
    group: memoryGroup(CONTAINER_BYTES)
  })
  const { db, pool } = await openPlace(place)
  const now = new Date()
  const cookieOf = async (userId: string, guest: boolean) =>
    `parlance-session=${await db.transaction(tx => openConsoleSession(tx, userId, { guest, now }))}`

  async function attacker() {
    const { id, token } = await newOwner(place)
    await updateUser(db, id, { emailVerifiedAt: now })
    const authorization = `Bearer ${token}`
    const sessions = await Promise.all(
      Array.from({ length: 5 }, async (_, at) => {
        const body = JSON.stringify({ title: `Long ${at}`, summary: 'Given.', action_items: [], segments: SHORT })
        const headers = { authorization, 'content-type': 'application/json' }
        const sent = await fetch(`${server.url}/v1/sessions`, { method: 'POST', headers, body })
        const { id } = (await sent.json()) as { id: string }
        const isCompleted = async () =>
          ((await server.get(`/v1/sessions/${id}`, token)).body as { status: string }).status === 'completed'
        await until('it is completed', isCompleted)
        return id
      })
    )
    await pool.query(
      `update transcripts set segments = (select jsonb_agg(jsonb_build_object('speaker', (array['Ada','Ben','Cyd'])[n % 3 + 1],
        'start', n, 'end', n + 1, 'text', 'Alpha budget contract ' || n) order by n) from generate_series(0, $2::int - 1) n) where user_id = $1`,
      [id, SEGMENTS]
    )
    return { id, authorization, cookie: await cookieOf(id, false), sessions }
  }
  const users = []
  for (let at = 0; at < USERS; at++) users.push(await attacker())
  const owner = users[0]!
  const shared = owner.sessions[0]!
  const link = await fetch(`${server.url}/v1/sessions/${shared}/sharing/link`, {
    method: 'POST',
    headers: { authorization: owner.authorization }
  })
  const { url } = (await link.json()) as { url: string }
  const parts = { summary: true, transcript: true, audio: true, action_items: true }
  await updateShareScope({ db }, everyScope(owner.id, 'command'), shared, parts)
  const guests = []
  for (let at = 0; at < GUESTS; at++) {
    const { id } = await newOwner(place)
    const services = { db, clock: { now: () => now }, publicUrl: new URL(url).origin }
    await claimShare(services, everyScope(id, 'command'), { url })
    guests.push({ cookie: await cookieOf(id, true) })
  }
  const { token: probing } = await newOwner(place)

  /** Sends a request on a connection of its own, and reads its status, or all of it. */
  function send(
    { method = 'GET', path, headers, body = '', length = Buffer.byteLength(body) }: Request,
    isRead: boolean
  ) {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    const status = new Promise<number>(resolve => {
      socket.on('error', () => {}).on('close', () => resolve(0))
      socket.once('data', begun => {
        if (!isRead) socket.pause()
        resolve(Number(String(begun).split(' ')[1]))
      })
    })
    if (isRead) socket.on('data', () => {})
    const fields = {
      host: 'x',
      connection: 'close',
      'accept-encoding': 'br',
      ...headers,
      ...(length > 0 && { 'content-length': length })
    }
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
    const ended = new Promise<void>(resolve => void socket.on('close', resolve))
    return { socket, status, ended }
  }

  /** Asks as a user who has done nothing, until it is stopped. Returns the longest time of its processor for which the server served nobody else. */
  function probe() {
    writeFileSync(watched, '')
    let isOver = false
    const probed = (async () => {
      let count = 0
      for (; !isOver; count++) {
        expect((await server.get('/v1/sessions', probing)).status).toBe(200)
        await setTimeout(50)
      }
      return { count, longestMs: Math.round(Math.max(...readFileSync(watched, 'utf8').split('\n').map(Number))) }
    })()
    return () => {
      isOver = true
      return probed
    }
  }

  /** Sends the requests at once and waits for their answers; then for a while, if nobody reads them. */
  async function siege(requests: Request[], { isRead = true } = {}) {
    const stop = probe()
    const sent = requests.map(request => send(request, isRead))
    const statuses = await Promise.all(sent.map(({ status }) => status))
    if (isRead) await Promise.all(sent.map(({ ended }) => ended))
    else await setTimeout(HELD_MS)
    const probes = await stop()
    for (const { socket } of sent) socket.destroy()
    return { statuses, probes }
  }
  return { server, users, guests, shared, owner, siege, send }
}

type Besieged = Awaited<ReturnType<typeof besieged>>

const times = (count: number, make: (at: number) => Request) => Array.from({ length: count }, (_, at) => make(at))
const json = { 'content-type': 'application/json' }

/** The cases, each with the requests that are sent at once. */
const CASES: Record<string, { isRead?: boolean; requests(besieged: Besieged): Request[] }> = {
  'forty pages of a shared session, read by guests': { requests: sharedPages },
  'forty pages of a shared session that guests do not read': { isRead: false, requests: sharedPages },
  'forty pages of own sessions': { requests: ownPages },
  'forty pages of own sessions that are not read': { isRead: false, requests: ownPages },
  'twenty transcripts for assistants': {
    requests: ({ users }) =>
      times(20, at => {
        const { authorization, sessions } = users[at % USERS]!
        const { body, headers } = messageOf('tools/call', {
          name: 'get_transcript',
          arguments: { id: sessions[at % 5] }
        })
        return { method: 'POST', path: '/mcp', headers: { ...headers, authorization }, body: JSON.stringify(body) }
      })
  },
  'twenty bulk exports that are not read': {
    isRead: false,
    requests: ({ users }) =>
      times(20, at => {
        const { authorization, sessions } = users[at % USERS]!
        const body = JSON.stringify({ session_ids: sessions, include_transcript: true })
        return { method: 'POST', path: '/v1/sessions/bulk', headers: { authorization, ...json }, body }
      })
  },
  'twenty corrections': {
    requests: ({ users }) =>
      times(20, at => {
        const { authorization, sessions } = users[at % USERS]!
        const body = JSON.stringify({ from: 'Ada', segments: [at * 3], name: `Guest ${at}` })
        return {
          method: 'PATCH',
          path: `/v1/sessions/${sessions[at % 5]}/speakers`,
          headers: { authorization, ...json },
          body
        }
      })
  },
  'forty transcripts that are not read': {
    isRead: false,
    requests: ({ users }) =>
      times(40, at => {
        const { authorization, sessions } = users[at % USERS]!
        return { path: `/v1/sessions/${sessions[at % 5]}/transcript`, headers: { authorization } }
      })
  },
  'uploads of 20 MB and of 15 MiB of tiny values': {
    requests: ({ users }) =>
      [10_000_000, 7.5 * 1024 * 1024].map((count, at) => ({
        method: 'POST',
        path: '/v1/sessions/upload?file=tiny.json',
        headers: { authorization: users[at]!.authorization, 'content-type': 'application/octet-stream' },
        body: `[${'1,'.repeat(count)}1]`
      }))
  }
}

function sharedPages({ guests, owner, shared }: Besieged) {
  return times(40, at => ({ path: `/shared/${owner.id}/${shared}`, headers: guests[at % GUESTS]! }))
}

function ownPages({ users }: Besieged) {
  return times(40, at => {
    const { cookie, sessions } = users[at % USERS]!
    return { path: `/s/${sessions[at % 5]}`, headers: { cookie } }
  })
}

test.runIf(LONG && canLimitMemory)(
  `a server within ${CONTAINER_BYTES / 2 ** 20} MiB stays alive through every case, one after the other, and serves others meanwhile`,
  { timeout: 1_800_000 },
  async () => {
    const opened = await besieged()
    const { server, users, siege } = opened
    const slow: Record<string, number> = {}
    for (const [name, { isRead = true, requests }] of Object.entries(CASES)) {
      const { statuses, probes } = await siege(requests(opened), { isRead })
      const counted = Object.entries(Object.groupBy(statuses, String)).map(
        ([status, all]) => `${all?.length} × ${status}`
      )
      report(`${name}: ${counted.join(', ')}; ${probes.count} probes, the longest ${probes.longestMs} ms`)
      expect({ name, strange: statuses.filter(status => ![200, 202, 400, 413, 503].includes(status)) }).toEqual({
        name,
        strange: []
      })
      if (probes.longestMs > MAX_LOOP_MS) slow[name] = probes.longestMs
    }
    const bodies = times(40, at => ({
      method: 'POST',
      path: '/v1/sessions',
      headers: { authorization: users[at % USERS]!.authorization, ...json },
      body: ' '.repeat(2 * 1024 * 1024),
      length: LIMITS.documentBytes
    }))
    const held = bodies.map(body => opened.send(body, false))
    await setTimeout(HELD_MS)
    for (const { socket } of held) socket.destroy()
    const file = await fetch(`${server.url}/v1/sessions/${users[1]!.sessions[0]}/transcript.vtt`, {
      headers: { authorization: users[1]!.authorization }
    })
    expect([file.status, (await file.text()).slice(0, 6)]).toEqual([200, 'WEBVTT'])
    expect(server.output.stderr).toBe('')
    expect(slow).toEqual({})
  }
)
