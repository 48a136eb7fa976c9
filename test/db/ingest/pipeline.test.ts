// @module-tag both

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyScope } from '../../../src/features/access/actor.ts'
import { processSession } from '../../../src/features/ingest/pipeline.ts'
import { insertSession, type NewSession } from '../../../src/features/ingest/queries.ts'
import { retrySession } from '../../../src/features/ingest/retry.ts'
import { cutPassages } from '../../../src/features/library/index/passages.ts'
import { changeSession } from '../../../src/features/sessions/change.ts'
import { type Ai, AiError } from '../../../src/platform/ai/ai.ts'
import { newId } from '../../../src/platform/core/ids.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import type { Segment } from '../../../src/platform/text/segment.ts'
import { plainAi } from '../../support/ai.ts'
import { migratedDatabase, newOwner, onPostgres, openPlace } from '../../support/process.ts'
import {
  acceptSession,
  clock,
  FOR_PIPELINE,
  NO_QUEUE,
  NO_QUOTAS,
  NOW,
  newUser,
  SPOKEN,
  testDatabase,
  testMedia
} from '../../support/server.ts'

const NEVER = new AbortController().signal

describe('processSession', () => {
  test('makes summary, action items, passages and embeddings, and records one event', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id, { segments: SPOKEN })
    await work(user.id, id)
    const { body } = await user.get(`/v1/sessions/${id}`)
    expect(body).toMatchObject({
      summary: '## Overview\n\nWelcome to the weekly review.',
      language: 'en',
      action_items_version: 1
    })
    expect(body.action_items).toMatchObject([
      { text: "I'll send the offer.", assignee: 'Ben', source: 'agent', source_start: 4.5, completed: false }
    ])
    const made = `select c.text, e.model, e.dimension from passages c join embeddings e using (user_id, session_id, ordinal) where c.session_id = '${id}'`
    expect((await user.db.execute(made)).rows).toEqual([
      { text: "Ada: Welcome to the weekly review.\nBen: I'll send the offer.", model: 'letters', dimension: 26 }
    ])
    expect(await eventsOf(user)).toEqual([{ seq: 1, type: 'session.completed', session_id: id }])
  })

  test.each([
    ['summary', { summary: 'Mine' }, { summary: 'Mine', items: ["I'll send the offer."] }],
    [
      'action items',
      { action_items: [{ text: 'Mine' }] },
      { summary: '## Overview\n\nWelcome to the weekly review.', items: ['Mine'] }
    ],
    [
      'empty list of action items',
      { action_items: [] },
      { summary: '## Overview\n\nWelcome to the weekly review.', items: [] }
    ],
    [
      'summary and action items',
      { summary: 'Mine', action_items: [{ text: 'Mine' }] },
      { summary: 'Mine', items: ['Mine'] }
    ]
  ])('keeps the %s that the source brought', async (_, brought, kept) => {
    const user = await newUser()
    const id = await acceptSession(user.id, brought)
    await work(user.id, id)
    const { body } = await user.get(`/v1/sessions/${id}`)
    expect({ summary: body.summary, items: body.action_items.map(({ text }: { text: string }) => text) }).toEqual(kept)
  })

  test('sends no request for parts that the source has', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id, { summary: 'Mine', action_items: [] })
    await work(user.id, id, plainAi({ summarize: () => Promise.reject(new Error('asked')) }))
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject({ summary: 'Mine', action_items: [] })
  })

  test('completes a session once for many runs at once', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id)
    await Promise.all(Array.from({ length: 8 }, () => work(user.id, id)))
    await work(user.id, id)
    expect(await eventsOf(user)).toEqual([{ seq: 1, type: 'session.completed', session_id: id }])
    expect((await user.get('/v1/account')).body).toMatchObject({ session_count: 1 })
    expect((await user.db.execute(`select count(*)::int as n from passages where session_id = '${id}'`)).rows).toEqual([
      { n: 1 }
    ])
  })

  test.each([
    [
      'meeting with everything',
      {
        timestamp: '2026-03-01T09:00:00+01:00',
        type: 'meeting',
        platform: 'zoom',
        notes: 'N',
        tags: ['b', 'a'],
        favorite: true,
        folders: ['Zebra', 'ant', 'Mid']
      }
    ],
    ['phone call', { type: 'phone', phone: { direction: 'inbound', to_number: '+12025550123' } }],
    [
      'conversation without a date',
      {
        duration_seconds: 12.25,
        action_items: [{ text: 'Send', assignee: 'Ada', due_date: '2026-03-06', completed: true, source_start: 1.5 }]
      }
    ]
  ])('records in the event what GET answers: %s', async (_, fields) => {
    const user = await newUser()
    const id = await acceptSession(user.id, fields)
    await work(user.id, id)
    const { rows } = await user.db.execute<{ body: string }>(`select body from events where user_id = '${user.id}'`)
    const { body } = await user.get(`/v1/sessions/${id}`)
    expect(JSON.parse(rows[0]!.body).data.session).toEqual(body)
  })

  test('fails a session at once if the provider’s error is final', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id)
    const told: string[] = []
    await work(user.id, id, refusing(true), {
      last: false,
      onFailure: (session, reason) => told.push(`${session} ${reason}`)
    })
    expect(await stateOf(user, id)).toEqual({ state: 'failed', failure: 'The key is wrong' })
    expect(told).toEqual([`${id} The key is wrong`])
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject({ id, summary: null, action_items: [] })
    expect((await user.get('/v1/sessions')).body).toEqual({ sessions: [], next_cursor: null, has_more: false })
    expect((await user.get('/v1/account')).body).toMatchObject({ session_count: 0 })
    expect(await eventsOf(user)).toEqual([])
  })

  test('rejects with a temporary error until the last attempt, and then fails the session', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id)
    await expect(work(user.id, id, refusing(false), { last: false })).rejects.toThrow('The key is wrong')
    expect(await stateOf(user, id)).toEqual({ state: 'processing', failure: null })
    await work(user.id, id, refusing(false), { last: true })
    expect(await stateOf(user, id)).toEqual({ state: 'failed', failure: 'The key is wrong' })
    await work(user.id, id)
    expect(await stateOf(user, id)).toEqual({ state: 'failed', failure: 'The key is wrong' })
  })

  test('logs the message of an unexpected error only, and counts the failure', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id)
    const broken = plainAi({ embed: () => Promise.reject(new Error('secret words')) })
    const told: string[] = []
    const onFailure = (session: string, reason: string) => void told.push(`${session} ${reason}`)
    await expect(work(user.id, id, broken, { last: true, onFailure })).rejects.toThrow('secret words')
    expect(await stateOf(user, id)).toEqual({ state: 'failed', failure: 'An internal error; see the log' })
    expect(told).toEqual([`${id} An internal error; see the log`])
  })

  test.each([true, false])(
    'leaves a session processing when it is interrupted, on the last attempt: %s',
    async last => {
      const user = await newUser()
      const id = await acceptSession(user.id)
      const stopping = new AbortController()
      const ai = plainAi({
        summarize: async () => {
          stopping.abort()
          throw new AiError('Interrupted', { final: true })
        }
      })
      await expect(work(user.id, id, ai, { last, signal: stopping.signal })).rejects.toThrow('Interrupted')
      expect(await stateOf(user, id)).toEqual({ state: 'processing', failure: null })
      await work(user.id, id)
      expect(await stateOf(user, id)).toEqual({ state: 'completed', failure: null })
    }
  )

  test.each([
    ['completing', plainAi],
    ['failing', () => refusing(true)]
  ])('leaves a session that is deleted meanwhile: %s', async (_, make) => {
    const user = await newUser()
    const id = await acceptSession(user.id)
    const ai = make()
    const remove = async () => void (await user.db.execute(`delete from sessions where session_id = '${id}'`))
    const deleting: Ai = { ...ai, summarize: (...words) => remove().then(() => ai.summarize(...words)) }
    await work(user.id, id, deleting, { last: true })
    expect(await stateOf(user, id)).toBeUndefined()
    expect(await eventsOf(user)).toEqual([])
    expect((await user.get('/v1/account')).body).toMatchObject({ session_count: 0 })
    await work(user.id, id)
  })

  test('completes a session without speech only with a summary: its own, or one written before a retry', async () => {
    const user = await newUser()
    const silent = { segments: [], media: { audio: 'https://example.test/a.mp3' } }
    const [bare, given] = [
      await acceptSession(user.id, silent),
      await acceptSession(user.id, { ...silent, summary: 'Given.' })
    ]
    for (const id of [bare, given]) await work(user.id, id)
    expect((await user.get('/v1/sessions')).body.sessions).toMatchObject([{ id: given }])
    expect((await user.get('/v1/sessions/stats?since=2026-01-01&until=2027-01-01')).body.total_sessions).toBe(1)
    expect(await stateOf(user, bare)).toMatchObject({
      state: 'failed',
      failure: expect.stringMatching(/^There is no speech/)
    })
    await changeSession(user.db, user.id, bare, { summary: 'Written.' }, { now: clock.now() })
    await retrySession({ db: user.db, jobs: NO_QUEUE, clock }, everyScope(user.id, 'command'), bare)
    await work(user.id, bare)
    expect((await user.get('/v1/sessions')).body.sessions).toHaveLength(2)
    expect((await user.get(`/v1/sessions/${bare}`)).body).toMatchObject({ summary: 'Written.', action_items: [] })
  })

  test('completes a failed session whose speakers were corrected', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id)
    await work(user.id, id, refusing(true))
    expect((await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ada', name: 'Eve' })).status).toBe(200)
    await user.post(`/v1/sessions/${id}/retry`)
    await work(user.id, id)
    const { people } = (await user.get('/v1/people')).body
    expect(people.map(({ name }: { name: string }) => name).sort()).toEqual(['Ben', 'Eve'])
    expect((await user.get('/v1/sessions')).body.sessions).toMatchObject([{ id }])
  })

  test('counts due dates from the new day of a session that is moved meanwhile', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id, { timestamp: '2026-03-02T10:00:00Z' })
    const days: string[] = []
    const ai = plainAi({
      summarize: async ({ day }) => {
        days.push(day)
        if (days.length === 1)
          await changeSession(user.db, user.id, id, { timestamp: '2026-03-11T10:00:00Z' }, { now: clock.now() })
        return { summary: day, actionItems: [], language: 'en' }
      }
    })
    await work(user.id, id, ai)
    expect(days).toEqual(['2026-03-02', '2026-03-11'])
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject({
      timestamp: '2026-03-11T10:00:00.000Z',
      summary: '2026-03-11'
    })
    expect((await user.get('/v1/sessions')).body.sessions).toHaveLength(1)
  })

  test.each(['', ' \n ', '\u200b'])('treats the blank summary %j of the source as missing', async summary => {
    const user = await newUser()
    const id = await acceptSession(user.id, { summary })
    await work(user.id, id)
    expect((await user.get(`/v1/sessions/${id}`)).body.summary).toContain('Overview')
  })

  test.each(['', ' \n '])(
    'attempts again after the blank summary %j of the provider, and finally fails for that reason',
    async summary => {
      const user = await newUser()
      const id = await acceptSession(user.id)
      const ai = plainAi({ summarize: async () => ({ summary, actionItems: [], language: null }) })
      await expect(work(user.id, id, ai, { last: false })).rejects.toThrow('empty summary')
      expect(await stateOf(user, id)).toMatchObject({ state: 'processing' })
      await work(user.id, id, ai, { last: true })
      expect(await stateOf(user, id)).toEqual({
        state: 'failed',
        failure: 'The AI provider answered with an empty summary'
      })
      expect((await user.get('/v1/sessions')).body.sessions).toEqual([])
    }
  )
})

describe('the position of a session', () => {
  /** More than fit in one millisecond. */
  const MANY = onPostgres ? 3_000 : 1_100

  test(`is its own when ${MANY} have one timestamp`, { timeout: 300_000 }, async () => {
    const place = await migratedDatabase()
    const { id: userId } = await newOwner(place)
    const { db, pool } = await openPlace(place, { poolSize: 12 })
    // Where there is only one session, few transactions: each waits for the disk.
    const together = onPostgres ? 1 : 100
    let left = MANY
    const insert = async () => {
      while (left > 0) {
        left -= together
        await db.transaction(insertSome)
      }
    }
    const insertSome = async (tx: Db) => {
      for (let index = 0; index < together; index++) expect(await insertSession(tx, userId, newSession())).toBeDefined()
    }
    await Promise.all(Array.from({ length: onPostgres ? 6 : 1 }, insert))
    const { rows } = await pool.query(
      "select count(*)::int as n, count(distinct sort_at)::int as positions, max(sort_at) - min(sort_at) < interval '5 milliseconds' as near, min(sort_at) as first from sessions"
    )
    expect(rows).toEqual([{ n: MANY, positions: MANY, near: true, first: NOW }])
  })

  test('goes to one of two transactions at once, and the other gets the next one', async () => {
    const user = await newUser()
    const { db } = await testDatabase()
    const both = await Promise.all([0, 1].map(() => db.transaction(tx => insertSession(tx, user.id, newSession()))))
    expect(new Set(both).size).toBe(2)
    const { rows } = await db.execute(`select distinct sort_at from sessions where user_id = '${user.id}'`)
    expect(rows).toHaveLength(2)
  })

  test('is not needed for an existing external id', async () => {
    const user = await newUser()
    const { db } = await testDatabase()
    expect(await insertSession(db, user.id, { ...newSession(), externalId: 'zoom-1' })).toBeDefined()
    expect(await insertSession(db, user.id, { ...newSession(), externalId: 'zoom-1' })).toBeUndefined()
  })
})

describe('passages', () => {
  const word = fc.constantFrom('a', 'review', 'Ünïcode', '日本語', '🙂', '-', 'x:y', '12.5')
  const turn = fc.record({
    speaker: fc.constantFrom('Ada', 'Ben', 'Speaker 1', 'A: B'),
    text: fc.array(word, { minLength: 1, maxLength: 700 }).map(words => words.join(' ')),
    start: fc.constant(null),
    end: fc.constant(null)
  })

  test('hold every word once, in order, and at most 400 each', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 40 }), async segments => {
        const chunks = await cutPassages(segments)
        expect(chunks.flatMap(wordsOf)).toEqual(segments.flatMap(({ text }) => text.split(' ')))
        for (const [index, chunk] of chunks.entries()) {
          expect(wordsOf(chunk).length).toBeLessThanOrEqual(400)
          expect(chunk.firstSegment).toBeLessThanOrEqual(chunk.lastSegment)
          const next = chunks[index + 1]
          if (next) expect(next.firstSegment - chunk.lastSegment).toBeOneOf([0, 1])
        }
        expect(chunks.at(0)?.firstSegment ?? 0).toBe(0)
        expect(chunks.at(-1)?.lastSegment ?? -1).toBe(segments.length - 1)
      }),
      { numRuns: 200 }
    )
  })

  test('are at least 200 words long for short turns, except the last', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 200 }), async lengths => {
        const segments = lengths.map((length, index) => said(index % 2 ? 'Ada' : 'Ben', length))
        const sizes = (await cutPassages(segments)).map(chunk => wordsOf(chunk).length)
        expect(sizes.slice(0, -1).filter(size => size < 200 || size > 260)).toEqual([])
      })
    )
  })

  test('of a long turn are cut at 400 words', async () => {
    expect((await cutPassages([said('Ada', 1_000)])).map(chunk => wordsOf(chunk).length)).toEqual([400, 400, 200])
    expect(
      (await cutPassages(Array.from({ length: 100 }, () => said('Ada', 10)))).map(chunk => wordsOf(chunk).length)
    ).toEqual([400, 400, 200])
  })

  test('of a script without spaces are cut too, and lose no character', async () => {
    const text = '会議の記録'.repeat(4_000)
    const chunks = await cutPassages([{ speaker: '田中', start: null, end: null, text }])
    expect(chunks.length).toBeGreaterThan(1)
    expect(Math.max(...chunks.map(chunk => chunk.text.length))).toBeLessThanOrEqual(804)
    expect(chunks.flatMap(wordsOf).join('')).toBe(text)
  })

  test('of short turns in a script without spaces are as short', async () => {
    const turns = Array.from({ length: 200 }, (_, at) => ({
      speaker: at % 2 ? '田中' : '佐藤',
      start: null,
      end: null,
      text: '会議の記録です。'.repeat(4)
    }))
    const sizes = (await cutPassages(turns)).map(chunk => chunk.text.length)
    expect(sizes.length).toBeGreaterThan(10)
    expect(sizes.slice(0, -1).filter(size => size < 350 || size > 800)).toEqual([])
  })

  test('keep a long address whole', async () => {
    const address = `https://example.test/${'path/'.repeat(60)}`
    const text = `See ${address} for more.`
    expect((await cutPassages([{ speaker: 'Ada', start: null, end: null, text }])).map(chunk => chunk.text)).toEqual([
      `Ada: ${text}`
    ])
  })

  test('do not cut through a character outside the basic plane', async () => {
    const text = '🙂'.repeat(5_000)
    const chunks = await cutPassages([{ speaker: 'Ada', start: null, end: null, text }])
    expect(chunks.filter(chunk => !chunk.text.isWellFormed())).toEqual([])
    expect(chunks.flatMap(wordsOf).join('')).toBe(text)
  })

  test('are missing without speech', async () => {
    expect(await cutPassages([])).toEqual([])
    expect(await cutPassages([{ speaker: 'Ada', start: null, end: null, text: ' \n ' }])).toEqual([])
  })
})

interface Told {
  last?: boolean
  signal?: AbortSignal
  onFailure?: (session: string, reason: string) => void
}

async function work(
  userId: string,
  sessionId: string,
  ai = plainAi(),
  { last = true, signal = NEVER, onFailure = () => {} }: Told = {}
) {
  const { db } = await testDatabase()
  await processSession(
    { db, ai, media: testMedia(), clock, quotas: NO_QUOTAS, ...FOR_PIPELINE, onFailure },
    { userId, sessionId },
    { last, signal }
  )
}

function refusing(final: boolean) {
  return plainAi({ summarize: () => Promise.reject(new AiError('The key is wrong', { final })) })
}

type User = Awaited<ReturnType<typeof newUser>>

async function stateOf({ db }: User, sessionId: string) {
  const { rows } = await db.execute(`select state, failure from sessions where session_id = '${sessionId}'`)
  return rows[0]
}

async function eventsOf({ id }: User) {
  const { rows } = await (await testDatabase()).pool.query(
    `select seq, type, session_id from events where user_id = '${id}' order by seq`
  )
  return rows
}

function newSession(): NewSession {
  const now = clock.now()
  return {
    sessionId: newId('ses'),
    state: 'processing',
    title: 'T',
    timestamp: now,
    durationSeconds: 0,
    type: 'import',
    createdAt: now,
    updatedAt: now
  }
}

function said(speaker: string, words: number): Segment {
  return { speaker, start: null, end: null, text: Array.from({ length: words }, (_, index) => `w${index}`).join(' ') }
}

/** The words of a passage without the names of those who said them. */
function wordsOf({ text }: { text: string }) {
  return text.split('\n').flatMap(line => line.replace(/^(Ada|Ben|Speaker 1|A: B|田中): /, '').split(' '))
}
