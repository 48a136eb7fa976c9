import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>
type Answer = Record<string, unknown> & { next_cursor?: string | null; has_more?: boolean }

const actions = (url: string) => `/actions${url}`

/** Sends a request again with each cursor, and returns all pages, of which none has 100,000 characters. */
async function pagesOf(user: User, url: string, body?: object) {
  const pages: Answer[] = []
  for (let cursor: string | null | undefined = ''; cursor != null; ) {
    const { href } = new URL(actions(url), 'http://parlance.test')
    const asked = new URL(href)
    if (cursor !== '') asked.searchParams.set('cursor', cursor)
    const reply = await user.app.inject({
      method: body ? 'POST' : 'GET',
      url: `${asked.pathname}${asked.search}`,
      headers: { authorization: `Bearer ${user.token}` },
      ...(body && { payload: body })
    })
    expect([reply.statusCode, reply.body.length < 100_000], reply.body.slice(0, 200)).toEqual([200, true])
    const page: Answer = reply.json()
    expect(page.next_cursor == null || page.has_more).toBe(true)
    pages.push(page)
    cursor = page.next_cursor
  }
  return pages
}

const lines = (count: number, timed: boolean) =>
  Array.from({ length: count }, (_, at) => ({
    speaker: at % 2 ? 'Ben' : 'Ada',
    ...(timed && { start: at * 6, end: at * 6 + 6 }),
    text: `We talk about item ${at}, and about the "${'word '.repeat(10)}" of it.`
  }))

describe('below /actions', () => {
  test('an answer that is short is that of /v1', async () => {
    const user = await newUser()
    const id = await user.session({ title: 'Planning', segments: lines(3, true) })
    for (const url of [`/v1/sessions/${id}`, `/v1/sessions/${id}/transcript`, '/v1/sessions', '/v1/account'])
      expect((await user.get(actions(url))).body).toEqual((await user.get(url)).body)
  })

  test('a long transcript comes in pages, each segment whole and once, and without its text', async () => {
    const user = await newUser()
    const id = await user.session({ segments: lines(3_000, true) })
    const pages = await pagesOf(user, `/v1/sessions/${id}/transcript`)
    const { body } = await user.get(`/v1/sessions/${id}/transcript`)
    expect(JSON.stringify(body).length).toBeGreaterThan(400_000)
    expect(pages.length).toBeGreaterThan(3)
    expect(pages.flatMap(({ segments }) => segments)).toEqual(body.segments)
    expect(pages.map(({ id: of, transcript, version }) => [of, transcript, version])).toEqual(
      pages.map(() => [id, '', 1])
    )
    const part = await pagesOf(user, `/v1/sessions/${id}/transcript?start=60&end=120`)
    expect(part).toEqual([(await user.get(`/v1/sessions/${id}/transcript?start=60&end=120`)).body])
    const indexed = await pagesOf(user, `/v1/sessions/${id}/transcript?lines=true`)
    expect(indexed.flatMap(page => page.lines)).toHaveLength(3_000)
    expect(indexed.flatMap(page => page.segments)).toEqual([])
  })

  test('a long transcript without times comes in pages of its text, cut between lines', async () => {
    const user = await newUser()
    const id = await user.session({ segments: lines(3_000, false) })
    const pages = await pagesOf(user, `/v1/sessions/${id}/transcript`)
    const { body } = await user.get(`/v1/sessions/${id}/transcript`)
    expect(pages.length).toBeGreaterThan(1)
    expect(pages.map(({ transcript }) => transcript).join('')).toBe(body.transcript)
    for (const { transcript } of pages.slice(0, -1)) expect(transcript).toMatch(/\n$/)
  })

  test('10,000 people come in pages, each once and in the order of /v1', async () => {
    const user = await newUser()
    await user.db.execute(sql`
      insert into people (user_id, person_id, name, name_key, is_me, saved, recording_count, created_at, updated_at)
      select ${user.id}, 'per_' || lpad(n::text, 26, '0'), 'Person ' || n, 'person ' || n, false, true, 0, now(), now()
      from generate_series(1, 10000) n`)
    const pages = await pagesOf(user, '/v1/people')
    const people = pages.flatMap(page => page.people as { id: string }[])
    const { body } = await user.get('/v1/people')
    expect(body.people).toHaveLength(10_000)
    expect(people).toEqual(body.people)
    expect(body.next_cursor).toBeUndefined()
  })

  test('the longest summary, notes and action items come one after the other', async () => {
    const user = await newUser()
    const id = await user.session({
      summary: 'We plan the spring. '.repeat(9_000),
      notes: 'Noted. '.repeat(7_000),
      action_items: Array.from({ length: 200 }, (_, at) => ({ text: `${at} ${'x'.repeat(1_900)}` }))
    })
    const pages = await pagesOf(user, `/v1/sessions/${id}`)
    const { body } = await user.get(`/v1/sessions/${id}`)
    expect(pages.map(({ summary }) => summary).join('')).toBe(body.summary)
    expect(pages.map(({ notes }) => notes).join('')).toBe(body.notes)
    expect(pages.flatMap(page => page.action_items)).toEqual(body.action_items)
    expect((await pagesOf(user, `/v1/sessions/${id}/action-items`)).flatMap(page => page.action_items)).toEqual(
      body.action_items
    )
  })

  test('pages of a list that are too long go on within a page, and then with the next one', async () => {
    const user = await newUser()
    const items = Array.from({ length: 120 }, (_, at) => ({
      text: `${at} ${'"'.repeat(1_900)}`,
      due_date: '2026-03-06'
    }))
    await user.session({ action_items: items })
    const pages = await pagesOf(user, '/v1/action-items?limit=100')
    const found = pages.flatMap(page => page.action_items as { id: string }[])
    expect(found).toHaveLength(120)
    expect(new Set(found.map(({ id }) => id)).size).toBe(120)
    expect(pages.length).toBeGreaterThan(4)
  })

  test('a search is read on with the same body', async () => {
    const user = await newUser()
    for (let at = 0; at < 3; at++)
      await user.session({ external_id: `s${at}`, title: 'Battery', segments: lines(5, true) })
    const pages = await pagesOf(user, '/v1/sessions/search', { query: 'battery', include_passages: true })
    expect(pages.flatMap(({ results }) => results)).toHaveLength(3)
  })

  test('a cursor that no page had is refused, and so is one of a change', async () => {
    const user = await newUser()
    const id = await user.session({})
    const error = { code: 'invalid_request', message: 'cursor: send the next_cursor of the previous page' }
    const patched = await user.patch(actions(`/v1/sessions/${id}?cursor=~1~`), { title: 'x' })
    expect(patched).toEqual({ status: 400, body: { error } })
    for (const cursor of ['~', '~x~', 'x'])
      expect((await user.get(actions(`/v1/sessions/${id}?cursor=${cursor}`))).status).toBe(400)
  })

  test('other operations are not found, and rights are those of /v1', async () => {
    const user = await newUser('sessions:read')
    const id = await user.session({})
    const refused = await user.post(actions('/v1/sessions/bulk'), { session_ids: [id] })
    expect(refused.body.error).toMatchObject({ code: 'not_found', message: expect.stringContaining('profile actions') })
    for (const url of ['/v1/openapi.json', '/v1/events', '/v1/nothing', '/v1/webhooks'])
      expect([403, 404]).toContain((await user.get(actions(url))).status)
    expect((await user.get(actions(`/v1/sessions/${id}/transcript`))).status).toBe(403)
    expect((await user.get(actions('/v1/sessions/ses_none'))).status).toBe(404)
    const stranger = await newUser()
    expect((await stranger.get(actions(`/v1/sessions/${id}`))).status).toBe(404)
    expect((await user.app.inject(actions('/v1/sessions'))).statusCode).toBe(401)
  })
})
