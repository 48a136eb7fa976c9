// @module-tag both
import { describe, expect, test } from 'vitest'
import { summarizeAgain } from '../../../src/features/ingest/summarize-again.ts'
import { type Ai, AiError, type Conversation } from '../../../src/platform/ai/ai.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { plainAi } from '../../support/ai.ts'
import {
  acceptSession,
  buildTestApp,
  NOW,
  newUser,
  newUserOf,
  testDatabase,
  testServices
} from '../../support/server.ts'
import { trash } from '../../support/trash.ts'

type User = Awaited<ReturnType<typeof newUser>>

const never = new AbortController().signal
const SAID = [
  { speaker: 'Ada', start: 0, end: 2, text: "I'll send the offer." },
  { speaker: 'Ben', start: 2, end: 4, text: "I'll call the client." }
]

async function start(user: User, id: string, options: object = {}) {
  const { status, body } = await user.post(`/v1/sessions/${id}/summarize`, options)
  expect(status, JSON.stringify(body)).toBe(202)
  return { userId: user.id, sessionId: id, requestId: String(body.id) }
}

async function summarize(
  user: User,
  id: string,
  options: object = {},
  { ai = plainAi(), last = true }: { ai?: Ai; last?: boolean } = {}
) {
  const job = await start(user, id, options)
  const failures: string[] = []
  const services = await testServices({ ai })
  const run = summarizeAgain({ ...services, onFailure: (_, reason) => failures.push(reason) }, job, {
    last,
    signal: never
  })
  await run
  return { request: (await user.get(`/v1/sessions/${id}/summarize`)).body, failures }
}

/** An AI with another summary, and items of these texts. */
function otherAi(...texts: string[]) {
  return plainAi({
    summarize: async ({ language }: Conversation) => ({
      summary: '## Overview\n\nMade again.',
      actionItems: texts.map((text, at) => ({ text, assignee: null, dueDate: null, sourceStart: 10 + at })),
      language
    })
  })
}

async function detailOf(user: User, id: string) {
  return (await user.get(`/v1/sessions/${id}`)).body
}

async function eventsOf(user: User): Promise<string[]> {
  return (await user.get('/v1/events?limit=200')).body.events.map(({ event }: { event: string }) => event)
}

const textsOf = (session: { action_items: { text: string }[] }) => session.action_items.map(({ text }) => text)

describe('POST /v1/sessions/{id}/summarize', () => {
  test('makes a new summary, and keeps what somebody has edited or ticked off word for word', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const [offer, call] = (await detailOf(user, id)).action_items
    await user.patch(`/v1/action-items/${offer.id}`, { completed: true })
    await user.patch(`/v1/action-items/${call.id}`, { text: 'Call Cleo, the client' })
    const before = await detailOf(user, id)
    const { request } = await summarize(user, id, {}, { ai: otherAi('Write to Cleo') })
    expect(request).toEqual({
      id: expect.stringMatching(/^sum_/),
      session_id: id,
      status: 'completed',
      language: null,
      template: null,
      action_items: 'merge',
      error: null,
      started_at: NOW,
      finished_at: NOW
    })
    const after = await detailOf(user, id)
    expect(after.summary).toContain('Made again.')
    expect(after.action_items.slice(0, 2)).toEqual(before.action_items)
    expect(textsOf(after)).toEqual(["I'll send the offer.", 'Call Cleo, the client', 'Write to Cleo'])
    expect(after.action_items_version).toBe(before.action_items_version + 1)
    expect((await eventsOf(user)).slice(-2)).toEqual(['session.updated', 'session.action_items.updated'])
    expect((await user.post('/v1/sessions/search', { query: '"Made again"' })).body.results).toHaveLength(1)
  })

  test.each([
    ['keep', ["I'll send the offer.", "I'll call the client."]],
    ['replace', ['Write to Cleo']]
  ])('with %s', async (action_items, texts) => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    await user.patch(`/v1/action-items/${(await detailOf(user, id)).action_items[0].id}`, { completed: true })
    await summarize(user, id, { action_items }, { ai: otherAi('Write to Cleo') })
    expect(textsOf(await detailOf(user, id))).toEqual(texts)
  })

  test('writes nothing where the summary and the items are the same', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const [before, events] = [await detailOf(user, id), await eventsOf(user)]
    expect((await summarize(user, id)).request.status).toBe('completed')
    expect([await detailOf(user, id), await eventsOf(user)]).toEqual([before, events])
  })

  test('leaves the old summary after a failure, and says so', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const [before, events] = [await detailOf(user, id), await eventsOf(user)]
    const failing = (final: boolean) =>
      plainAi({ summarize: () => Promise.reject(new AiError('The key sk-1 is wrong', { final })) })
    const refused = await summarize(user, id, {}, { ai: failing(true), last: false })
    expect(refused.request).toMatchObject({ status: 'failed', finished_at: NOW })
    expect(refused.request.error).toBe(
      'The AI provider of this server refused the conversation; ask the operator of the server'
    )
    expect(refused.failures).toEqual(['The key sk-1 is wrong'])
    const away = await summarize(user, id, {}, { ai: failing(false) })
    expect(away.request).toMatchObject({ status: 'failed', error: expect.stringContaining('did not answer') })
    await expect(summarize(user, id, {}, { ai: failing(false), last: false })).rejects.toThrow('The key')
    expect((await user.get(`/v1/sessions/${id}/summarize`)).body).toMatchObject({ status: 'running', error: null })
    expect([await detailOf(user, id), await eventsOf(user)]).toEqual([before, events])
  })

  test('summarizes the transcript as it is after a correction, also one that is made meanwhile', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const seen: string[] = []
    const ai = plainAi({
      summarize: async ({ segments }) => {
        const text = segments[0]?.text ?? ''
        seen.push(text)
        if (seen.length === 1) {
          const segments = [{ index: 0, text: 'Corrected.' }]
          await user.patch(`/v1/sessions/${id}/transcript`, { segments }, { 'if-match': '*' })
        }
        return { summary: `## Overview\n\n${text}`, actionItems: [], language: 'en' }
      }
    })
    await summarize(user, id, {}, { ai })
    expect(seen).toEqual(["I'll send the offer.", 'Corrected.'])
    expect((await detailOf(user, id)).summary).toContain('Corrected.')
  })

  test('keeps an item that somebody edits meanwhile', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const [offer] = (await detailOf(user, id)).action_items
    const ai = otherAi('Write to Cleo')
    const editing = {
      ...ai,
      summarize: async (conversation: Conversation) => {
        await user.patch(`/v1/action-items/${offer.id}`, { text: 'Send the offer to Ben' })
        return await ai.summarize(conversation)
      }
    }
    await summarize(user, id, {}, { ai: editing })
    expect(textsOf(await detailOf(user, id))).toEqual(['Send the offer to Ben', 'Write to Cleo'])
  })

  test('keeps every item that a person touched, word for word, in 50 made cases, also into another language', {
    timeout: 120_000
  }, async () => {
    let seed = 5
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const texts = {
      en: ['Send the offer', 'Call the client', 'Book the room', 'Write the minutes'],
      de: ['Das Angebot senden', 'Den Kunden anrufen', 'Den Raum buchen', 'Das Protokoll schreiben']
    }
    const found = (language: 'en' | 'de') =>
      Array.from({ length: random(6) }, () => ({
        text: texts[language][random(4)] ?? '',
        assignee: random(2) === 0 ? null : 'Ben',
        dueDate: null,
        sourceStart: random(4)
      }))
    const ai = (language: 'en' | 'de') =>
      plainAi({
        translates: true,
        summarize: async () => ({ summary: `## ${language}`, actionItems: found(language), language })
      })
    // The time goes on, or else a change would be as old as its item.
    const app = await buildTestApp({ ai: ai('en'), clock: { now: () => new Date() } })
    const user = await newUserOf({ ...(await testDatabase()), app })
    let touched = 0
    for (let made = 0; made < 50; made++) {
      const id = await user.session({ segments: SAID }, ai('en'))
      const kept: unknown[] = []
      for (const { id: item } of (await detailOf(user, id)).action_items) {
        const changes = [
          undefined,
          { completed: true },
          { text: `Send it, please (${made})` },
          { assignee: 'Cleo' },
          { due_date: '2026-12-24' }
        ]
        const change = changes[random(changes.length)]
        if (change) await user.patch(`/v1/action-items/${item}`, change)
        if (change) kept.push(item)
      }
      const all = (await detailOf(user, id)).action_items.map(({ id }: { id: string }) => ({ id }))
      await user.patch(`/v1/sessions/${id}`, { action_items: [...all, { text: `Mine ${made}` }] })
      const isTouched = ({ id: item, source }: { id: string; source: string }) =>
        kept.includes(item) || source === 'user'
      const before = (await detailOf(user, id)).action_items.filter(isTouched)
      touched += before.length
      const language = made % 2 === 0 ? 'en' : 'de'
      await summarize(user, id, made % 4 < 2 ? { language } : {}, { ai: ai(language) })
      const after = await detailOf(user, id)
      expect([after.summary, after.action_items.slice(0, before.length)]).toEqual([`## ${language}`, before])
    }
    expect(touched).toBeGreaterThan(100)
  })

  test('answers with the request that is running, and refuses other options beside it', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const job = await start(user, id)
    expect(await start(user, id)).toEqual(job)
    expect(await user.post(`/v1/sessions/${id}/summarize`, { action_items: 'keep' })).toMatchObject({ status: 409 })
  })

  test('asks a provider for another language, which the offline summarizer refuses', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    expect(await user.post(`/v1/sessions/${id}/summarize`, { language: 'de' })).toEqual({
      status: 400,
      body: {
        error: {
          code: 'invalid_request',
          message:
            'language: the offline summarizer does not translate; send the language of the conversation, or nothing'
        }
      }
    })
    expect((await start(user, id, { language: 'en' })).requestId).toMatch(/^sum_/)
    let asked: string | null | undefined
    const ai = plainAi({
      translates: true,
      summarize: async ({ summaryLanguage }) => {
        asked = summaryLanguage
        return { summary: '## Überblick\n\nNeu.', actionItems: [], language: 'en' }
      }
    })
    const other = await newUserOf({ db: user.db, app: await buildTestApp({ ai }) })
    const session = await other.session({ segments: SAID })
    expect((await summarize(other, session, { language: 'de' }, { ai })).request).toMatchObject({
      status: 'completed',
      language: 'de'
    })
    expect(asked).toBe('de')
    expect(await detailOf(other, session)).toMatchObject({ summary: '## Überblick\n\nNeu.', language: 'en' })
  })

  test('refuses a session that is not completed or has no transcript, and one of somebody else', async () => {
    const user = await newUser()
    const processing = await acceptSession(user.id, { segments: SAID })
    const silent = await user.session({
      segments: [],
      summary: 'Written by hand',
      media: { audio: 'https://media.example/a.mp3' }
    })
    for (const id of [processing, silent])
      expect(await user.post(`/v1/sessions/${id}/summarize`, {})).toMatchObject({ status: 409 })
    const stranger = await newUser()
    expect(await stranger.post(`/v1/sessions/${silent}/summarize`, {})).toMatchObject({ status: 404 })
    expect(await user.post(`/v1/sessions/${silent}/summarize`, { language: 'English' })).toMatchObject({ status: 400 })
    expect(await user.get(`/v1/sessions/${silent}/summarize`)).toMatchObject({ status: 404 })
  })

  test('does nothing for a session in the trash, and goes with one that is deleted for good', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const job = await start(user, id)
    await trash({ db: user.db }, user.id, id)
    await summarizeAgain({ ...(await testServices()), onFailure: () => {} }, job, { last: true, signal: never })
    const { rows } = await user.db.execute(sql`select status, error from summary_requests where session_id = ${id}`)
    expect(rows).toEqual([{ status: 'failed', error: expect.stringContaining('no longer completed') }])
    const other = await user.session({ segments: SAID })
    await start(user, other)
    await user.delete(`/v1/sessions/${other}`)
    expect((await user.db.execute(sql`select from summary_requests where session_id = ${other}`)).rows).toEqual([])
  })
})
