// @module-tag both
import { describe, expect, test } from 'vitest'
import { applyToSessions } from '../../../src/features/terms/apply-term.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import type { JobData } from '../../../src/platform/jobs/queues.ts'
import { acceptSession, completeSession, NO_QUOTAS, NOW, newUser, testServices } from '../../support/server.ts'
import { trash } from '../../support/trash.ts'

type User = Awaited<ReturnType<typeof newUser>>
type Job = JobData['apply-term']

const never = new AbortController().signal
const line = (text: string, start = 0) => ({ speaker: 'Ada', text, start, end: start + 1 })
const said = (...texts: string[]) => ({ segments: texts.map((text, at) => line(text, at)) })

async function newTerm(user: User, meant = 'Parlance', ...heard: string[]): Promise<string> {
  const { status, body } = await user.post('/v1/terms', { heard: heard.length > 0 ? heard : ['par lance'], meant })
  expect(status).toBe(201)
  return body.id
}

/** Starts an application, and returns its job. */
async function start(user: User, termId: string, query = ''): Promise<Job> {
  const { status, body } = await user.post(`/v1/terms/${termId}/apply${query}`)
  expect(status).toBe(202)
  expect(body.status).toBe('running')
  return { userId: user.id, termId, applicationId: body.id }
}

async function run(job: Job, services: Partial<Awaited<ReturnType<typeof testServices>>> = {}, signal = never) {
  await applyToSessions(await testServices(services), job, { last: false, signal })
}

async function apply(user: User, termId: string, query = '') {
  await run(await start(user, termId, query))
  return (await user.get(`/v1/terms/${termId}/apply`)).body
}

async function textOf(user: User, id: string): Promise<string> {
  return (await user.get(`/v1/sessions/${id}/transcript`)).body.transcript
}

async function eventsOf(user: User): Promise<string[]> {
  return (await user.get('/v1/events?limit=200')).body.events.map(({ event }: { event: string }) => event)
}

/** Everything that a correction writes. */
async function rowsOf(user: User) {
  const { rows } = await user.db.execute(sql`
    select session_id, s.updated_at, version, segments::text, original::text, bytes from sessions s join transcripts t using (user_id, session_id)
    where user_id = ${user.id} order by 1`)
  return rows
}

describe('POST /v1/terms/{id}/apply', () => {
  test('corrects the sessions that have the term, as a change by hand does', async () => {
    const user = await newUser()
    const [one, other, none] = [
      await user.session(said('We moved to par lance.', 'Good.', 'Par lance it is.')),
      await user.session(said('Par lance!')),
      await user.session(said('Nothing.'))
    ]
    const id = await newTerm(user)
    expect(await apply(user, id)).toEqual({
      id: expect.stringMatching(/^apl_/),
      term_id: id,
      status: 'completed',
      dry_run: false,
      heard: ['par lance'],
      meant: 'Parlance',
      sessions_total: 3,
      sessions_done: 3,
      sessions_changed: 2,
      lines_changed: 3,
      sessions_left_out: 0,
      examples: [],
      error: null,
      started_at: NOW,
      finished_at: NOW
    })
    expect(await textOf(user, one)).toBe('Ada: We moved to Parlance. Good. Parlance it is.')
    expect(await textOf(user, other)).toBe('Ada: Parlance!')
    expect((await user.get(`/v1/sessions/${none}/transcript`)).body.version).toBe(1)
    const { body } = await user.get(`/v1/sessions/${one}/transcript`)
    expect(body.segments.map((segment: { edited_at?: string }) => segment.edited_at)).toEqual([NOW, undefined, NOW])
    const original = await user.get(`/v1/sessions/${one}/transcript?original=true`)
    expect(original.body.segments).toMatchObject(said('We moved to par lance.', 'Good.', 'Par lance it is.').segments)
    expect((await eventsOf(user)).filter(type => type === 'session.updated')).toHaveLength(2)
    const { body: found } = await user.post('/v1/sessions/search', { query: '"Parlance"' })
    const snippets = found.results.map(({ snippet }: { snippet: string }) => snippet)
    expect(snippets.filter((snippet: string) => snippet.includes('Parlance'))).toHaveLength(2)
  })

  test('writes no row of a session the second time', async () => {
    const user = await newUser()
    await user.session(said('We moved to par lance.'))
    const id = await newTerm(user)
    await apply(user, id)
    const [before, events] = [await rowsOf(user), await eventsOf(user)]
    expect(await apply(user, id)).toMatchObject({ sessions_changed: 0, lines_changed: 0, sessions_done: 1 })
    expect([await rowsOf(user), await eventsOf(user)]).toEqual([before, events])
  })

  test('counts in a dry run, changes nothing, and shows the first five lines', async () => {
    const user = await newUser()
    const first = await user.session(said(...Array.from({ length: 4 }, (_, at) => `Number ${at}: par lance.`)))
    const second = await user.session(said('No.', 'Par lance?', 'Par lance!', 'Par lance…'))
    const id = await newTerm(user)
    const before = await rowsOf(user)
    const counted = await apply(user, id, '?dry_run=true')
    expect(counted).toMatchObject({ status: 'completed', dry_run: true, sessions_changed: 2, lines_changed: 7 })
    expect(counted.examples).toEqual([
      ...[0, 1, 2, 3].map(at => ({
        session_id: first,
        index: at,
        text: `Number ${at}: par lance.`,
        corrected: `Number ${at}: Parlance.`
      })),
      { session_id: second, index: 1, text: 'Par lance?', corrected: 'Parlance?' }
    ])
    expect(await rowsOf(user)).toEqual(before)
    expect(await apply(user, id)).toMatchObject({ sessions_changed: 2, lines_changed: 7, examples: [] })
  })

  test('shows no lines of a deleted session, and none to a token that may not read transcripts', async () => {
    const user = await newUser()
    const session = await user.session(said('par lance'))
    const id = await newTerm(user)
    expect((await apply(user, id, '?dry_run=true')).examples).toHaveLength(1)
    await user.delete(`/v1/sessions/${session}`)
    expect((await user.get(`/v1/terms/${id}/apply`)).body.examples).toEqual([])
    const writer = await newUser('transcripts:write', 'sessions:create')
    await acceptSession(writer.id, said('par lance')).then(made => completeSession(writer.id, made))
    const term = await newTerm(writer)
    expect(await apply(writer, term, '?dry_run=true')).toMatchObject({ lines_changed: 1, examples: [] })
  })

  test('counts in a dry run what it then changes, in 100 made libraries', { timeout: 300_000 }, async () => {
    let seed = 11
    const pick = (from: readonly string[]) => {
      seed = (seed * 48_271) % 2_147_483_647
      return from[seed % from.length] ?? ''
    }
    const words = [
      'par',
      'lance',
      'par lance',
      'Par  Lance',
      "parlants's",
      'parlants',
      'x',
      '漢',
      '.',
      '👩‍💻',
      '\u200b'
    ]
    for (let library = 0; library < 100; library++) {
      const user = await newUser()
      for (let count = 0; count < 1 + (library % 4); count++) {
        const texts = Array.from(
          { length: 3 },
          () => `So ${Array.from({ length: 5 }, () => pick(words)).join(pick([' ', '']))}`
        )
        await user.session(said(...texts))
      }
      const id = await newTerm(user, pick(['Parlance', 'lance par', 'par lance x']), 'parlants', 'par lance', 'lance .')
      const counted = await apply(user, id, '?dry_run=true')
      const changed = await apply(user, id)
      expect([changed.sessions_changed, changed.lines_changed]).toEqual([
        counted.sessions_changed,
        counted.lines_changed
      ])
      expect(await apply(user, id)).toMatchObject({ sessions_changed: 0, lines_changed: 0 })
    }
  })

  test('leaves out the trash and what is being processed, and corrects a failed session', async () => {
    const user = await newUser()
    const [trashed, failed] = [await user.session(said('par lance')), await user.session(said('par lance'))]
    const processing = await acceptSession(user.id, said('par lance'))
    await trash({ db: user.db }, user.id, trashed)
    await user.db.execute(sql`update sessions set state = 'failed' where session_id = ${failed}`)
    const id = await newTerm(user)
    expect(await apply(user, id)).toMatchObject({ sessions_total: 2, sessions_done: 2, sessions_changed: 1 })
    expect(await textOf(user, failed)).toBe('Ada: Parlance')
    await completeSession(user.id, processing)
    expect(await textOf(user, processing)).toBe('Ada: Parlance')
  })

  test('keeps what other terms mean', async () => {
    const user = await newUser()
    const session = await user.session(said('Ask Par Lance, not Lance.'))
    await newTerm(user, 'Par Lance', 'parlants')
    await apply(user, await newTerm(user, 'Lanze', 'lance'))
    expect(await textOf(user, session)).toBe('Ada: Ask Par Lance, not Lanze.')
  })

  test('answers with the application that is running, and refuses another one beside it', async () => {
    const user = await newUser()
    const id = await newTerm(user)
    const job = await start(user, id)
    expect((await start(user, id)).applicationId).toBe(job.applicationId)
    const refused = {
      status: 409,
      body: { error: { code: 'conflict', message: 'the term is being applied; try again when that is completed' } }
    }
    expect(await user.post(`/v1/terms/${id}/apply?dry_run=true`)).toEqual(refused)
    await user.patch(`/v1/terms/${id}`, { meant: 'Parlance 2' })
    expect(await user.post(`/v1/terms/${id}/apply`)).toEqual(refused)
    await run(job)
    expect((await start(user, id)).applicationId).not.toBe(job.applicationId)
  })

  test('ends when its term is deleted, and does nothing for an application that has ended', async () => {
    const user = await newUser()
    const session = await user.session(said('par lance'))
    const id = await newTerm(user)
    const job = await start(user, id)
    await user.delete(`/v1/terms/${id}`)
    await run(job)
    expect(await textOf(user, session)).toBe('Ada: par lance')
    expect(await user.get(`/v1/terms/${id}/apply`)).toMatchObject({ status: 404 })
  })

  test('is done once, also by two processes at a time', async () => {
    const user = await newUser()
    for (let count = 0; count < 12; count++) await user.session(said('par lance', 'par lance'))
    const id = await newTerm(user)
    const job = await start(user, id)
    await Promise.all([run(job), run(job), run(job)])
    await run(job)
    const { body } = await user.get(`/v1/terms/${id}/apply`)
    expect(body).toMatchObject({ status: 'completed', sessions_done: 12, sessions_changed: 12, lines_changed: 24 })
    expect((await rowsOf(user)).map(({ version }) => version)).toEqual(Array(12).fill(2))
    expect((await eventsOf(user)).filter(type => type === 'session.updated')).toHaveLength(12)
  })

  test('goes on after a process that has stopped, and keeps its counts', async () => {
    const user = await newUser()
    for (let count = 0; count < 6; count++) await user.session(said('par lance'))
    const id = await newTerm(user)
    const job = await start(user, id)
    const stopping = new AbortController()
    let corrected = 0
    const { writer } = await testServices()
    const counting = {
      ...writer,
      correct: (...asked: Parameters<typeof writer.correct>) => {
        if (++corrected === 4) stopping.abort(new Error('the process stops'))
        return writer.correct(...asked)
      }
    }
    await expect(run(job, { writer: counting }, stopping.signal)).rejects.toThrow('the process stops')
    expect((await user.get(`/v1/terms/${id}/apply`)).body).toMatchObject({ status: 'running', sessions_changed: 4 })
    await run(job)
    expect((await user.get(`/v1/terms/${id}/apply`)).body).toMatchObject({
      status: 'completed',
      sessions_done: 6,
      sessions_changed: 6,
      lines_changed: 6
    })
  })

  test('fails where the quota is used up, and keeps what it has changed', async () => {
    const user = await newUser()
    for (let count = 0; count < 3; count++) await user.session(said('par lance'))
    const { rows } = await user.db.execute(sql`select bytes_stored from user_counters where user_id = ${user.id}`)
    const quotas = { ...NO_QUOTAS, bytes_stored: Number(rows[0]?.bytes_stored) + 150 }
    const id = await newTerm(user)
    await run(await start(user, id), { quotas })
    const { body } = await user.get(`/v1/terms/${id}/apply`)
    expect(body).toMatchObject({ status: 'failed', sessions_changed: 1, finished_at: NOW })
    expect(body.error).toContain('quota of bytes')
    expect(await apply(user, id)).toMatchObject({ status: 'completed', sessions_changed: 2 })
  })

  test('leaves out a transcript that would be too long', async () => {
    const user = await newUser()
    const session = await user.session(said(...Array.from({ length: 5 }, () => 'a '.repeat(90_000))))
    await user.session(said('a'))
    const id = await newTerm(user, 'abcdefghij', 'a')
    expect(await apply(user, id, '?dry_run=true')).toMatchObject({ sessions_changed: 1, sessions_left_out: 1 })
    expect(await apply(user, id)).toMatchObject({ status: 'completed', sessions_changed: 1, sessions_left_out: 1 })
    expect((await user.get(`/v1/sessions/${session}`)).body.status).toBe('completed')
  })

  test('asks for true or false', async () => {
    const user = await newUser()
    const id = await newTerm(user)
    expect(await user.post(`/v1/terms/${id}/apply?dry_run=maybe`)).toMatchObject({ status: 400 })
    expect(await user.get(`/v1/terms/${id}/apply`)).toMatchObject({ status: 404 })
  })
})
