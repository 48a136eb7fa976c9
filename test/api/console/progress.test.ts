import { EventEmitter } from 'node:events'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { consoleActor } from '../../../src/features/access/actor.ts'
import { openArrivals } from '../../../src/features/events/arrivals.ts'
import { WAITS } from '../../../src/features/library/failure-reason.ts'
import { recordProgress } from '../../../src/features/library/record-progress.ts'
import { followSessions } from '../../../src/features/sessions/progress.ts'
import { openEventStreams } from '../../../src/interfaces/console/event-streams.ts'
import { plainAi } from '../../support/ai.ts'
import { newBrowser, signedIn, signInAs } from '../../support/console.ts'
import { until } from '../../support/process.ts'
import { acceptSession, buildTestApp, completeSession, testDatabase, testServer } from '../../support/server.ts'

type Browser = Awaited<ReturnType<typeof signedIn>>['browser']

let app: Awaited<ReturnType<typeof buildTestApp>>
let origin: string

beforeAll(async () => {
  app = await buildTestApp()
  await app.listen({ host: '127.0.0.1', port: 0 })
  origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
})
afterAll(() => app?.close())

/** Opens the stream of a browser, and collects what it says until it ends. */
async function open(browser: Browser, ids: readonly string[], at = origin) {
  const address = `${at}/progress?${new URLSearchParams(ids.map((id): [string, string] => ['session', id]))}`
  const stop = new AbortController()
  const reply = await fetch(address, {
    headers: {
      cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      accept: 'text/event-stream'
    },
    signal: stop.signal
  })
  const said = { text: '', ended: false }
  const decoder = new TextDecoder()
  const read = (async () => {
    for await (const piece of reply.body ?? []) said.text += decoder.decode(piece, { stream: true })
    said.ended = true
  })().catch(() => {})
  return { reply, said, read, stop: () => stop.abort() }
}

const states = (text: string) =>
  [...text.matchAll(/event: state\ndata: (.*)\n\n/g)].map(([, data]) => JSON.parse(data!))

const broken = plainAi({ summarize: () => Promise.reject(new Error('No answer')) })

describe('the stream of progress', () => {
  test('says of each session that it is processed or has failed, and ends after the last', async () => {
    const { user, browser } = await signedIn()
    const [done, fails, ready] = [await acceptSession(user.id), await acceptSession(user.id), await user.session()]
    const { reply, said } = await open(browser, [done, fails, ready])
    expect([reply.status, Object.fromEntries(reply.headers)]).toMatchObject([
      200,
      { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
    ])
    await until('the first is told', () => states(said.text).length === 1)
    await expect(completeSession(user.id, fails, broken)).rejects.toThrow('No answer')
    await until('the second is told', () => states(said.text).length === 2)
    expect(said.ended).toBe(false)
    await completeSession(user.id, done)
    await until('it ends', () => said.ended)
    expect(said.text).toMatch(/^retry: \d+\n\n/)
    expect(states(said.text)).toEqual([
      { id: ready, state: 'completed' },
      { id: fails, state: 'failed' },
      { id: done, state: 'completed' }
    ])
  })

  test('shows how much of a long recording is transcribed, and why it waits, when that changes', async () => {
    const { user, browser } = await signedIn()
    const id = await acceptSession(user.id)
    const { db } = await testDatabase()
    const record = (change: Parameters<typeof recordProgress>[3]) =>
      db.transaction(tx => recordProgress(tx, user.id, id, change))
    await record({ progress: 0.25 })
    const page = await browser.get(`/s/${id}`)
    expect(page.body).toContain('<progress aria-label="Processing" value="0.25"></progress>')
    const { said } = await open(browser, [id])
    const shown = () => [...said.text.matchAll(/event: progress\ndata: (.*)\n\n/g)].map(([, data]) => JSON.parse(data!))
    await until('the first is shown', () => shown().length === 1)
    await record({ waiting: WAITS.provider })
    await until('the second is shown', () => shown().length === 2)
    await record({ waiting: WAITS.provider })
    await record({ progress: 0.5, waiting: null })
    await until('the third is shown', () => shown().length === 3)
    expect(shown()).toEqual([
      { id, progress: 0.25, waiting_reason: null },
      { id, progress: 0.25, waiting_reason: WAITS.provider },
      { id, progress: 0.5, waiting_reason: null }
    ])
    const { body } = await user.get(`/v1/sessions/${id}`)
    expect(body).toMatchObject({ status: 'processing', progress: 0.5 })
    expect(body).not.toHaveProperty('waiting_reason')
    await completeSession(user.id, id)
    await until('it ends', () => said.ended)
    expect(states(said.text)).toEqual([{ id, state: 'completed' }])
    expect((await user.get(`/v1/sessions/${id}`)).body).not.toHaveProperty('progress')
  })

  test('notices the work of another server', async () => {
    const { user, browser } = await signedIn()
    const [done, fails] = [await acceptSession(user.id), await acceptSession(user.id)]
    const { db } = await testDatabase()
    const other = await buildTestApp({ arrivals: openArrivals(db, new EventEmitter()) })
    await other.listen({ host: '127.0.0.1', port: 0 })
    const { said } = await open(browser, [done, fails], other.listeningOrigin)
    await expect(completeSession(user.id, fails, broken)).rejects.toThrow('No answer')
    await until('the failure is told', () => states(said.text).length === 1)
    await completeSession(user.id, done)
    await until('it ends', () => said.ended)
    expect(states(said.text)).toEqual([
      { id: fails, state: 'failed' },
      { id: done, state: 'completed' }
    ])
    await other.close()
  })

  test('says at once that a session is in the trash, and knows no session of another user', async () => {
    const { user, browser } = await signedIn()
    const { user: stranger } = await signedIn()
    const [own, foreign] = [await acceptSession(user.id), await acceptSession(stranger.id)]
    await user.delete(`/v1/sessions/${own}?permanently=false`)
    expect(states((await browser.get(`/progress?session=${own}`)).body)).toEqual([{ id: own, state: 'deleted' }])
    const many = Array.from({ length: LIMITS.followedSessions + 1 }, () => `session=${own}`).join('&')
    const unknown = `session=ses_${'0'.repeat(26)}`
    for (const query of [`session=${own}&session=${foreign}`, unknown, 'session=x', '', many])
      expect([query, (await browser.get(`/progress?${query}`)).status]).toEqual([query, 404])
  })

  test('ends when its browser signs out, or every browser does, and leaves those of other users alone', async () => {
    const { user, browser } = await signedIn()
    const other = await signedIn()
    const kept = await open(other.browser, [await acceptSession(other.user.id)])
    const id = await acceptSession(user.id)
    const first = await open(browser, [id])
    const forms = newBrowser({ app })
    for (const [name, value] of browser.cookies) forms.cookies.set(name, value)
    await forms.submit('/', '/sign-out')
    await until('it ends', () => first.said.ended)
    expect((await open(browser, [id])).reply.url).toContain('/sign-in')
    const [one, another] = [newBrowser({ app }), newBrowser({ app })]
    for (const each of [one, another]) await signInAs(each, user.email)
    const second = await open(one, [id])
    await another.submit('/settings', '/settings/sign-out-everywhere')
    await until('it ends', () => second.said.ended)
    expect([states(first.said.text), states(second.said.text), kept.said.ended]).toEqual([[], [], false])
    kept.stop()
  })

  test('says nothing more to a browser that has signed out at another server', async () => {
    const { user, browser } = await signedIn()
    const id = await acceptSession(user.id)
    const { said } = await open(browser, [id])
    const elsewhere = newBrowser(await testServer())
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)
    await elsewhere.submit('/', '/sign-out')
    await completeSession(user.id, id)
    await until('it ends', () => said.ended)
    expect(states(said.text)).toEqual([])
  })

  test('has a limit for each user, and a place again for a page that was closed', async () => {
    const { user, browser } = await signedIn()
    const id = await acceptSession(user.id)
    const { perOwner } = LIMITS.openStreams
    const opened = await Promise.all(Array.from({ length: perOwner }, () => open(browser, [id])))
    expect(opened.map(({ reply }) => reply.status)).toEqual(opened.map(() => 200))
    const { reply } = await open(browser, [id])
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5'])
    const other = await signedIn()
    const theirs = await open(other.browser, [await acceptSession(other.user.id)])
    expect(theirs.reply.status).toBe(200)
    opened[0]!.stop()
    await until('a place is free', async () => {
      const again = await open(browser, [id])
      again.stop()
      return again.reply.status === 200
    })
    for (const { stop } of [...opened, theirs]) stop()
  })

  test('ends when the server stops', async () => {
    const { user, browser } = await signedIn()
    const id = await acceptSession(user.id)
    const stopping = await buildTestApp()
    await stopping.listen({ host: '127.0.0.1', port: 0 })
    const { said } = await open(browser, [id], stopping.listeningOrigin)
    await until('it has begun', () => said.text !== '')
    await stopping.close()
    await until('it ends', () => said.ended)
    expect(states(said.text)).toEqual([])
  })

  test('reads nothing from the database while nothing happens', async () => {
    const { user } = await signedIn()
    const id = await acceptSession(user.id)
    const { db, commits } = await testDatabase()
    let statements = 0
    const counted: typeof db = {
      query: (statement: Parameters<typeof db.query>[0]) => {
        statements++
        return db.query(statement)
      },
      ofOwner: () => counted
    } as unknown as typeof db
    const stop = new AbortController()
    const services = { db: counted, arrivals: openArrivals(db, commits) }
    const options = { beatMs: 20, signal: stop.signal }
    const settled = await followSessions(services, consoleActor(user.id, { guest: false }), [id], options)
    for (let beats = 0; beats < 5; beats++) expect((await settled.next()).value).toBe('beat')
    expect(statements).toBe(2)
    const last = settled.next()
    stop.abort()
    expect(await last).toEqual({ done: true, value: undefined })
  })

  test('ends after its lifetime, so that the browser is authenticated again', async () => {
    const streams = openEventStreams(50)
    const server = Fastify()
    server.get('/', (_request, reply) =>
      streams.send(reply, 'usr_one', async signal =>
        (async function* () {
          yield ': beat\n\n'
          await new Promise(wake => signal.addEventListener('abort', wake, { once: true }))
        })()
      )
    )
    expect((await server.inject('/')).body).toBe(': beat\n\n')
    await server.close()
  })
})
