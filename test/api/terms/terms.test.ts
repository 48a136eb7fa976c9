import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { processorMs } from '../../support/processor-time.ts'
import { acceptSession, completeSession, NOW, newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const PARLANCE = { heard: ['par lance', 'parlants'], meant: 'Parlance' }
const termOf = (body: object) => ({ id: expect.stringMatching(/^trm_/), ...body, created_at: NOW, updated_at: NOW })

async function newTerm(user: User, body: object = PARLANCE): Promise<string> {
  const answer = await user.post('/v1/terms', body)
  expect(answer.status).toBe(201)
  return answer.body.id
}

async function importCsv(user: User, csv: string | Buffer, type = 'text/csv') {
  const headers = { authorization: `Bearer ${user.token}`, 'content-type': type }
  const reply = await user.app.inject({ method: 'POST', url: '/v1/terms/import', headers, payload: csv })
  return { status: reply.statusCode, body: reply.json() }
}

describe('/v1/terms', () => {
  test('adds a term, lists it, and answers with it', async () => {
    const user = await newUser()
    expect(await user.get('/v1/terms')).toEqual({ status: 200, body: { terms: [] } })
    const { status, body } = await user.post('/v1/terms', PARLANCE)
    expect({ status, body }).toEqual({ status: 201, body: termOf(PARLANCE) })
    expect(await user.get('/v1/terms')).toEqual({ status: 200, body: { terms: [body] } })
    expect(await user.get(`/v1/terms/${body.id}`)).toEqual({ status: 200, body })
    const stranger = await newUser()
    expect((await stranger.get(`/v1/terms/${body.id}`)).status).toBe(404)
    expect((await stranger.patch(`/v1/terms/${body.id}`, { meant: 'Mine' })).status).toBe(404)
    expect((await stranger.delete(`/v1/terms/${body.id}`)).status).toBe(404)
    expect((await stranger.post(`/v1/terms/${body.id}/apply`)).status).toBe(404)
    expect((await stranger.get(`/v1/terms/${body.id}/apply`)).status).toBe(404)
  })

  test('changes the sent fields, and nothing if they are the same', async () => {
    const user = await newUser()
    const id = await newTerm(user)
    const { body } = await user.patch(`/v1/terms/${id}`, { heard: ['parlants'] })
    expect(body).toEqual({
      ...termOf({ heard: ['parlants'], meant: 'Parlance' }),
      updated_at: '2026-03-02T10:00:00.001Z'
    })
    expect((await user.patch(`/v1/terms/${id}`, { meant: 'Parlance' })).body).toEqual(body)
  })

  test('deletes a term', async () => {
    const user = await newUser()
    const id = await newTerm(user)
    expect(await user.delete(`/v1/terms/${id}`)).toEqual({ status: 204, body: '' })
    expect((await user.get(`/v1/terms/${id}`)).status).toBe(404)
    expect((await user.delete(`/v1/terms/${id}`)).status).toBe(404)
  })

  test('tidies white space and takes everything else literally', async () => {
    const user = await newUser()
    const heard = [' par \n lance ', '(a+)+$', 'ש\u200fלום', '👩‍💻', 'x'.repeat(1_000)]
    const { body } = await user.post('/v1/terms', { heard, meant: ' Par\tlance ' })
    expect(body).toMatchObject({ heard: ['par lance', ...heard.slice(1)], meant: 'Par lance' })
  })

  test.each([
    ['heard', {}, 'invalid_request', /^heard: /],
    ['no forms', { heard: [], meant: 'x' }, 'invalid_request', /^heard: /],
    ['a blank form', { heard: ['\u200b'], meant: 'x' }, 'invalid_request', /^heard\.0: /],
    [
      'too many forms',
      { heard: Array.from({ length: 51 }, (_, at) => `f${at}`), meant: 'x' },
      'invalid_request',
      /^heard: .*50/
    ],
    [
      'too many characters',
      { heard: ['x'.repeat(1_500), 'y'.repeat(501)], meant: 'x' },
      'invalid_request',
      /^heard: .*2000/
    ],
    ['a long meaning', { heard: ['y'], meant: 'x'.repeat(201) }, 'invalid_request', /^meant: /],
    ['a form twice', { heard: ['par lance', 'Par  Lance'], meant: 'x' }, 'invalid_request', /^heard\.1: /],
    ['the meaning as a form', { heard: ['y', 'x'], meant: 'x' }, 'invalid_request', /^heard\.1: /]
  ])('refuses %s', async (_, sent, code, message) => {
    const user = await newUser()
    const { status, body } = await user.post('/v1/terms', sent)
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: { code, message: expect.stringMatching(message) } }
    })
  })

  test('takes a form that differs from the meaning in case only', async () => {
    const user = await newUser()
    await newTerm(user, { heard: ['parlance'], meant: 'Parlance' })
  })

  test('refuses a form of another term', async () => {
    const user = await newUser()
    const id = await newTerm(user)
    const message = `heard.1: the term ${id} has this form already`
    const refused = { status: 409, body: { error: { code: 'conflict', message } } }
    expect(await user.post('/v1/terms', { heard: ['other', 'PAR LANCE'], meant: 'x' })).toEqual(refused)
    const other = await newTerm(user, { heard: ['other'], meant: 'x' })
    expect(await user.patch(`/v1/terms/${other}`, { heard: ['other', 'PAR LANCE'] })).toEqual(refused)
    expect((await user.patch(`/v1/terms/${id}`, { heard: ['PAR LANCE'] })).status).toBe(200)
  })

  test('refuses more terms than the limit, also at once', async () => {
    const user = await newUser()
    const rows = Array.from({ length: LIMITS.terms.perUser - 1 }, (_, at) => `heard ${at},meant ${at}`)
    expect((await importCsv(user, ['heard,meant', ...rows].join('\n'))).status).toBe(200)
    const sent = ['one', 'two', 'three'].map(heard => user.post('/v1/terms', { heard: [heard], meant: 'x' }))
    expect((await Promise.all(sent)).map(({ status }) => status).sort()).toEqual([201, 400, 400])
    expect((await importCsv(user, 'heard,meant\nfour,y')).body.error.code).toBe('limit_exceeded')
    expect((await user.get('/v1/terms')).body.terms).toHaveLength(500)
  })

  test('answers a repeated key with the first answer', async () => {
    const user = await newUser()
    const first = await user.post('/v1/terms', PARLANCE, { 'idempotency-key': 'once' })
    expect(await user.post('/v1/terms', PARLANCE, { 'idempotency-key': 'once' })).toEqual(first)
  })

  test('goes with the account', async () => {
    const user = await newUser()
    await newTerm(user)
    await user.db.execute(sql`delete from users where user_id = ${user.id}`)
    expect((await user.db.execute(sql`select from terms where user_id = ${user.id}`)).rows).toEqual([])
  })
})

describe('terms as CSV', () => {
  test('come back as they went out', async () => {
    const user = await newUser()
    const terms = [PARLANCE, { heard: ['=SUM(A1)', 'a "quoted", one', "'plain", "'+one", '＝two'], meant: '@home' }]
    for (const term of terms) await newTerm(user, term)
    const out = await user.send('/v1/terms', { accept: 'text/csv' })
    expect(out.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringContaining('terms.csv')
    })
    expect(out.body.split('\r\n').slice(0, 4)).toEqual([
      'heard,meant',
      'par lance,Parlance',
      'parlants,Parlance',
      "'=SUM(A1),'@home"
    ])
    expect(out.body.split('\r\n').slice(6, 8)).toEqual(["''+one,'@home", "'＝two,'@home"])
    const other = await newUser()
    expect(await importCsv(other, out.body)).toMatchObject({ status: 200, body: { added: 2, changed: 0, terms } })
    expect(await importCsv(other, out.body)).toMatchObject({ status: 200, body: { added: 0, changed: 0, terms } })
  })

  test('are imported in time in proportion to their number', async () => {
    const user = await newUser()
    const rows = Array.from({ length: 10_000 }, (_, n) => `par ${n},Meaning ${n % 500}`)
    // With the forms of all terms compared again for each one, this takes 8 s.
    const ms = await processorMs(
      async csv => expect((await importCsv(user, csv)).body.added).toBe(500),
      ['heard,meant', ...rows].join('\n')
    )
    expect(ms).toBeLessThan(4_000)
  })

  test('add forms to a term with the same meaning', async () => {
    const user = await newUser()
    const id = await newTerm(user)
    const { body } = await importCsv(user, '\ufeffMeant;Heard;Note\nParlance;par lands;x\n\nOther;one\n')
    expect(body).toMatchObject({ added: 1, changed: 1 })
    expect(body.warnings).toEqual(['Note: ignored, because terms have no such column'])
    expect(body.terms).toMatchObject([
      { id, heard: ['par lance', 'parlants', 'par lands'], meant: 'Parlance' },
      { heard: ['one'], meant: 'Other' }
    ])
  })

  test.each([
    ['no header', 'one,two', /^body: the first line does not name the columns/],
    ['an empty file', '', /./],
    ['an open quote', 'heard,meant\n"one,two', /^body: it is not CSV/],
    ['a row without a meaning', 'heard,meant\none,two\nthree', /^meant in row 3: /],
    ['bytes that are not UTF-8', Buffer.from('heard,meant\n\xff,x', 'latin1'), /^body: it is not UTF-8/],
    ['a form of two meanings', 'heard,meant\none,two\none,three', /^heard.0: the term trm_\w+ has this form already/]
  ])('are refused as a whole with %s', async (_, csv, message) => {
    const user = await newUser()
    const { status, body } = await importCsv(user, csv)
    expect([400, 409]).toContain(status)
    expect(body.error.message).toMatch(message)
    expect((await user.get('/v1/terms')).body.terms).toEqual([])
  })

  test('are refused under another type', async () => {
    const user = await newUser()
    expect((await importCsv(user, '{}', 'application/json')).status).toBe(415)
  })
})

describe('a new import', () => {
  const said = (text: string) => ({ segments: [{ speaker: 'Ada', text, start: 0, end: 1 }] })

  test('is corrected by the terms, and keeps what was heard', async () => {
    const user = await newUser()
    await newTerm(user)
    const id = await user.session(said('We moved to par lance.'))
    const { body } = await user.get(`/v1/sessions/${id}/transcript`)
    expect(body).toMatchObject({
      version: 2,
      segments: [{ text: 'We moved to Parlance.', edited_at: NOW }]
    })
    const original = await user.get(`/v1/sessions/${id}/transcript?original=true`)
    expect(original.body.segments).toMatchObject([{ text: 'We moved to par lance.' }])
    expect((await user.post('/v1/sessions/search', { query: '"Parlance"' })).body.results).toHaveLength(1)
    expect((await user.get(`/v1/sessions/${id}`)).body.summary).not.toContain('par lance')
  })

  test('stays as it is without a term in it', async () => {
    const user = await newUser()
    await newTerm(user)
    const id = await user.session(said('We moved.'))
    expect((await user.get(`/v1/sessions/${id}/transcript`)).body.version).toBe(1)
  })

  test('that is being processed is corrected by a term that is added meanwhile', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id, said('We moved to par lance.'))
    await newTerm(user)
    await completeSession(user.id, id)
    expect((await user.get(`/v1/sessions/${id}/transcript`)).body.transcript).toBe('Ada: We moved to Parlance.')
  })
})
