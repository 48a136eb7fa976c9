// @module-tag postgres
import type { ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { UNLIMITED } from '../faults/load.ts'
import { command, commandJson } from '../support/command.ts'
import { ALL_EVENTS } from '../support/dispatch.ts'
import {
  fileIn,
  jsonLines,
  migratedDatabase,
  newOwner,
  onPostgres,
  type Place,
  run,
  type Serving,
  serve,
  start,
  until
} from '../support/process.ts'
import { type Answer, startReceiver } from '../support/receiver.ts'

async function localPlace(): Promise<Place> {
  const place = await migratedDatabase()
  return { ...place, environment: { ...place.environment, ...UNLIMITED } }
}

/** A request to that server; undefined where it does not answer. */
async function ask(url: string, token: string, method: string, path: string, body?: object) {
  const headers = {
    authorization: `Bearer ${token}`,
    connection: 'close',
    ...(body && { 'content-type': 'application/json' })
  }
  const reply = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }).catch(
    () => undefined
  )
  const text = await reply?.text().catch(() => undefined)
  return reply && text ? { status: reply.status, body: JSON.parse(text) } : undefined
}

/** The same, of a server that is known to run. */
async function answerOf(...request: Parameters<typeof ask>) {
  const answer = await ask(...request)
  if (!answer) throw new Error(`No answer to ${request.slice(2).join(' ')}`)
  return answer
}

async function importSession(place: Place, user: string) {
  const segments = [{ speaker: 'Ada', start: 0, end: 2, text: 'We ship on Friday.' }]
  const file = fileIn(
    place.dataDir,
    'one.json',
    JSON.stringify({ title: 'Weekly', summary: 'Given.', action_items: [], segments })
  )
  const [imported] = await commandJson(place, 'import', '--user', user, '--wait', file)
  expect(imported).toMatchObject({ status: 'completed' })
  return String(imported?.session_id)
}

test('the server delivers an event soon after its commit, even one that a command has recorded', {
  timeout: 300_000
}, async () => {
  const place = await localPlace()
  const server = await serve(place)
  const owner = await newOwner(place)
  const receiver = await startReceiver()
  const made = await answerOf(server.url, owner.token, 'POST', '/v1/webhooks', {
    url: receiver.url,
    events: ALL_EVENTS
  })
  expect(made.status).toBe(201)
  const session = await importSession(place, owner.id)
  await until('the completion has arrived', () => receiver.received.length === 1)
  await ask(server.url, owner.token, 'PATCH', `/v1/sessions/${session}`, { title: 'Another' })
  await until('the change has arrived', () => receiver.received.length === 2)
  const attempts = await until('both attempts are recorded', async () => {
    const recorded = await commandJson(place, 'webhooks', 'attempts', '--user', owner.email, made.body.id)
    return recorded.length === 2 && recorded
  })
  expect(attempts).toMatchObject([
    { event: 'session.updated', status: 204, attempt: 1, ended: 'delivered', answer: '' },
    { event: 'session.completed', status: 204, attempt: 1, ended: 'delivered', answer: '' }
  ])
  expect(await command(place, 'webhooks', 'attempts', '--user', owner.email, 'whk_0')).toMatchObject({
    code: 1,
    stderr: 'The user has no webhook whk_0; see: npm run -s parlance -- webhooks list\n'
  })
  expect(await commandJson(place, 'webhooks', 'list', '--user', owner.email)).toMatchObject([
    { id: made.body.id, failure_count: 0 }
  ])
  expect(await command(place, 'webhooks', 'attempts', '--user', owner.email, 'whk_wrong')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('The user has no webhook whk_wrong; see: npm run -s parlance -- webhooks list')
  })
  const { secret } = made.body
  server.kill('SIGTERM')
  const { stdout, stderr } = await server.ended
  expect(`${stdout}${stderr}${JSON.stringify(attempts)}`).not.toContain(secret.slice('whsec_'.length))
})

test('webhooks listen posts events, signed with the secret it was given, and events tail prints them', {
  timeout: 300_000
}, async () => {
  const place = await localPlace()
  const server = await serve(place)
  const owner = await newOwner(place)
  const receiver = await startReceiver(() => 202)
  const session = await importSession(place, owner.id)
  const words = ['--token', owner.token, '--url', server.url, '--json']
  const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY='
  const tail = start(place.environment, ['events', 'tail', ...words])
  // The machine of a developer may have another time than the server.
  const ahead = {
    CLOCK_AHEAD_FILE: fileIn(place.dataDir, 'ahead', '60000'),
    NODE_OPTIONS: `--import=${resolve('test/faults/stepping-clock.ts')}`
  }
  const listen = start({ ...place.environment, ...ahead }, [
    'webhooks',
    'listen',
    ...words,
    '--forward-to',
    receiver.url,
    '--secret',
    secret
  ])
  await until('it listens', () => listen.output.stderr.includes('Signing with'))
  await until('what was before is printed', () => tail.output.stdout.includes('session.completed'))
  await ask(server.url, owner.token, 'PATCH', `/v1/sessions/${session}`, { title: 'Another' })
  await until(
    'the change is posted and printed',
    () => receiver.received.length === 1 && tail.output.stdout.includes('session.updated')
  )
  const { Webhook } = await import('standardwebhooks')
  const { body, headers } = receiver.received[0]!
  expect(() => new Webhook(secret).verify(body, headers)).not.toThrow()
  const { events } = (await answerOf(server.url, owner.token, 'GET', '/v1/events')).body
  expect(jsonLines(tail.output.stdout)).toEqual(events)
  const { seq: _, ...event } = events[1]!
  expect(body).toBe(JSON.stringify(event))
  await until('it says what came of it', () => listen.output.stdout.includes('\n'))
  expect(jsonLines(listen.output.stdout)).toMatchObject([{ seq: 2, event: 'session.updated', status: 202 }])
  for (const running of [tail, listen]) running.kill('SIGINT')
  expect([(await tail.ended).code, (await listen.ended).code]).toEqual([0, 0])
  const from = start(place.environment, ['events', 'tail', ...words, '--from', '2'])
  await until('it prints from there', () => from.output.stdout.includes('\n'))
  expect(jsonLines(from.output.stdout)).toEqual([events[1]])
  // A server that goes is waited for; a token that is refused is not.
  server.kill('SIGKILL')
  await until('it says that the server is away', () => from.output.stderr.includes('does not answer'))
})

test('events tail with an invalid token ends with a sentence', { timeout: 300_000 }, async () => {
  const place = await localPlace()
  const server = await serve(place)
  const outcome = await run(place, 'events', 'tail', '--token', 'wrong', '--url', server.url)
  expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/token/) })
})

test.each([
  ['a place that is none', ['events', 'tail', '--token', 'x', '--from', '0'], /--from/],
  [
    'a receiver that is no URL',
    ['webhooks', 'listen', '--token', 'x', '--forward-to', 'localhost:3000'],
    /--forward-to/
  ],
  [
    'a secret that is none',
    ['webhooks', 'listen', '--token', 'x', '--forward-to', 'http://localhost:3000', '--secret', 'x'],
    /--secret/
  ]
] as const)(
  '%s ends the command with a sentence, before it asks a server',
  { timeout: 300_000 },
  async (_, words, sentence) => {
    const outcome = await run({ environment: {} }, ...words, '--url', 'http://127.0.0.1:1')
    expect(outcome).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(sentence) })
  }
)

// One process is killed where the receiver has the delivery and the server has not noted it; then what it held is taken over.
test.runIf(onPostgres)(
  'each event arrives under one id, in spite of failing receivers and killed servers',
  { timeout: 600_000 },
  async () => {
    const place = await localPlace()
    const owner = await newOwner(place)
    const servers: Serving[] = [await serve(place), await serve(place)]
    const session = await importSession(place, owner.id)
    let kills = 0

    /** Kills a server while it waits for this answer, then starts another. */
    const killing = (response: ServerResponse) => {
      const server = servers[kills++ % 2]!
      server.kill('SIGKILL')
      setTimeout(() => response.destroy(), 200)
      void server.ended.then(async () => {
        servers[servers.indexOf(server)] = await serve(place)
      })
    }
    const seen = new Map<string, number>()
    const receiver = await startReceiver(({ id }, number) => {
      const tries = (seen.get(id) ?? 0) + 1
      seen.set(id, tries)
      if (number > 0 && number % 40 === 0 && kills < 3) return killing
      if (tries > 1) return 200
      return [200, 500, (response: ServerResponse) => void response.socket?.resetAndDestroy(), 200, 500][
        number % 5
      ] as Answer
    })
    const hook = await answerOf(servers[0]!.url, owner.token, 'POST', '/v1/webhooks', {
      url: receiver.url,
      events: ['session.updated']
    })
    expect(hook.status).toBe(201)
    // The breaker would make this test last for hours.
    const forgive = setInterval(
      () => void ask(servers[1]!.url, owner.token, 'PATCH', `/v1/webhooks/${hook.body.id}`, { active: true }),
      2_000
    )

    let changed = 0
    while (changed < 120) {
      const answer = await ask(servers[changed % 2]!.url, owner.token, 'PATCH', `/v1/sessions/${session}`, {
        title: `Change ${changed}`
      })
      if (answer?.status === 200) changed++
      await new Promise(done => setTimeout(done, 30))
    }
    const all = async () => {
      const page = await ask(servers[0]!.url, owner.token, 'GET', '/v1/events?limit=200&cursor=0')
      const events: { id: string; event: string }[] = page?.body?.events ?? []
      return events.filter(({ event }) => event === 'session.updated')
    }
    await until('three servers were killed', () => kills >= 3)
    const delivered = async () => {
      const page = await ask(
        servers[0]!.url,
        owner.token,
        'GET',
        `/v1/webhooks/${hook.body.id}/deliveries?limit=200&status=delivered`
      )
      return page?.body?.deliveries ?? []
    }
    // A server that has just been killed does not answer, which must not look like a feed without events.
    const events = await until(
      'everything is delivered',
      async () => {
        const recorded = await all()
        return recorded.length >= changed && (await delivered()).length >= recorded.length ? recorded : undefined
      },
      540_000
    )
    clearInterval(forgive)
    const bodies = new Map<string, Set<string>>()
    for (const { id, body } of receiver.received) bodies.set(id, (bodies.get(id) ?? new Set()).add(body))
    expect([...bodies.keys()].sort()).toEqual(events.map(({ id }) => id).sort())
    for (const [id, variants] of bodies) expect(variants.size, id).toBe(1)
    expect(receiver.received.length).toBeGreaterThan(events.length)
  }
)
