// @module-tag both

import { describe, expect, test } from 'vitest'
import { acceptSession, newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

async function titles(user: User, query: Record<string, string>): Promise<string[]> {
  const { status, body } = await user.get(`/v1/sessions?${new URLSearchParams(query)}`)
  expect([status, body.error]).toEqual([200, undefined])
  return body.sessions.map(({ title }: { title: string }) => title)
}

async function library(...names: string[]) {
  const user = await newUser()
  for (const [at, title] of names.entries())
    await user.session({ title, external_id: `${at}`, timestamp: `2026-01-0${at + 1}T09:00:00Z`, tags: [`t${at % 2}`] })
  return user
}

describe('GET /v1/sessions?title', () => {
  test('returns the sessions whose title has all of the words, in any order, newest first', async () => {
    const user = await library('Onboarding call', 'Call: the Onboarding of Acme', 'Onboarding', 'Recall onboarding')
    const both = ['Call: the Onboarding of Acme', 'Onboarding call']
    for (const title of ['onboarding call', 'CALL onboarding', 'call, onboarding!']) {
      expect(await titles(user, { title })).toEqual(both)
    }
    expect(await titles(user, { title: 'the' })).toEqual(['Call: the Onboarding of Acme'])
    expect(await titles(user, { title: 'onboard' })).toEqual([])
    expect(await titles(user, { title: 'acme', status: 'all' })).toEqual(['Call: the Onboarding of Acme'])
  })

  test.each([
    ['Réunion à Łódź', 'reunion lodz a'],
    ['Straße der Äpfel', 'strasse apfel'],
    ['鐵路票務', '票务 铁路'],
    ['Приёмка', 'приемка'],
    ['הַחֶשְׁבּוֹנִית', 'החשבונית'],
    ['Wi-Fi at the mill', 'wifi'],
    ['G.D.P.R.', 'gdpr']
  ])('finds %s by %s', async (title, sent) => {
    const user = await library('Other', title)
    expect(await titles(user, { title: sent })).toEqual([title])
    expect(await titles(user, { title })).toEqual([title])
  })

  test('goes together with the other filters, and from page to page', async () => {
    const user = await library('Weekly 1', 'Weekly 2', 'Weekly 3', 'Weekly 4', 'Other')
    expect(await titles(user, { title: 'weekly', tag: 't1' })).toEqual(['Weekly 4', 'Weekly 2'])
    expect(await titles(user, { title: 'weekly', since: '2026-01-02', until: '2026-01-04' })).toEqual([
      'Weekly 3',
      'Weekly 2'
    ])
    expect(await titles(user, { title: 'weekly', type: 'phone' })).toEqual([])
    const first = await user.get('/v1/sessions?title=weekly&limit=3')
    const next = await user.get(`/v1/sessions?title=weekly&limit=3&cursor=${first.body.next_cursor}`)
    expect([...first.body.sessions, ...next.body.sessions].map(({ title }: { title: string }) => title)).toEqual([
      'Weekly 4',
      'Weekly 3',
      'Weekly 2',
      'Weekly 1'
    ])
    expect(next.body.next_cursor).toBe(null)
  })

  test('follows changes, and finds sessions of every state that is listed', async () => {
    const user = await library('Harvest plan', 'Sowing plan')
    await acceptSession(user.id, {
      external_id: 'unfinished',
      title: 'Harvest, unfinished',
      segments: [{ speaker: 'Ada', text: 'Rye.' }]
    })
    const [, { id }] = (await user.get('/v1/sessions')).body.sessions
    expect(await titles(user, { title: 'harvest', status: 'processing' })).toEqual(['Harvest, unfinished'])
    expect((await titles(user, { title: 'HARVEST', status: 'all' })).toSorted()).toEqual([
      'Harvest plan',
      'Harvest, unfinished'
    ])
    await user.patch(`/v1/sessions/${id}`, { title: 'Sowing, too' })
    expect(await titles(user, { title: 'harvest' })).toEqual([])
    expect(await titles(user, { title: 'sowing' })).toEqual(['Sowing plan', 'Sowing, too'])
    await user.delete(`/v1/sessions/${id}`)
    expect(await titles(user, { title: 'sowing' })).toEqual(['Sowing plan'])
  })

  test('returns the newest of very many, for a word that all of them have and for two of them', async () => {
    const user = await library('Standup of the team', 'Other')
    await user.db.execute(`
      insert into search_terms (user_id, term, session_id, part, passages, most, ordinals, weights)
      select '${user.id}', term, 'ses_' || n, 'title', 0, 1, '{}', '{}'
      from generate_series(1, 600) n cross join unnest(array['=standup', '=team']) as t(term)`)
    expect(await titles(user, { title: 'standup' })).toEqual(['Standup of the team'])
    expect(await titles(user, { title: 'team standup' })).toEqual(['Standup of the team'])
    expect(await titles(user, { title: 'team standup', tag: 't0', status: 'all' })).toEqual(['Standup of the team'])
    expect(await titles(user, { title: 'team other' })).toEqual([])
  })

  test('never shows sessions of others', async () => {
    const [user, other] = [await newUser(), await library('Harvest plan')]
    expect(await titles(user, { title: 'harvest' })).toEqual([])
    expect(await titles(other, { title: 'harvest' })).toEqual(['Harvest plan'])
  })

  test.each([
    ['title=', 'title: send one to 500 characters with a word of the title'],
    ['title=%3F%21', 'title: send one to 500 characters with a word of the title'],
    [`title=${'x'.repeat(501)}`, 'title: send one to 500 characters with a word of the title'],
    ['title=a&title=b', 'title: send it once'],
    ['until=tomorrow', 'until: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    ['order=updated&title=a', 'title: leave it out with order=updated, which lists every session'],
    ['order=updated&until=2026-01-01', 'until: leave it out with order=updated, which lists every session']
  ])('refuses %.40s', async (query, message) => {
    const user = await newUser()
    expect(await user.get(`/v1/sessions?${query}`)).toEqual({
      status: 400,
      body: { error: { code: 'invalid_request', message } }
    })
  })
})

test('GET /v1/sessions?until leaves out the sessions at that instant and later', async () => {
  const user = await library('One', 'Two', 'Three')
  expect(await titles(user, { until: '2026-01-02T09:00:00Z' })).toEqual(['One'])
  expect(await titles(user, { since: '2026-01-02', until: '2026-01-03' })).toEqual(['Two'])
  expect(await titles(user, { since: '2026-01-03', until: '2026-01-02' })).toEqual([])
})
