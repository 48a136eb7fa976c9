// @module-tag both

import { describe, expect, test } from 'vitest'
import { acceptSession, newUser } from '../../support/server.ts'

/** A conversation in which Ada and Ben take turns. */
const said = (...texts: string[]) => ({
  language: 'en',
  segments: texts.map((text, at) => ({ speaker: at % 2 ? 'Ben' : 'Ada', start: at * 5, end: at * 5 + 5, text }))
})

const SOIL = said('We water the tomatoes in the morning.', 'The soil is dry.')
const BATTERY = said('Good morning everyone.', 'The battery lasts two days.', 'Then we should print that on the box.')

type User = Awaited<ReturnType<typeof newUser>>

/** The ids found, best first, of sessions that have a word of the query. */
async function found(user: User, body: object) {
  const answer = await user.post('/v1/sessions/search', body)
  expect(answer.status).toBe(200)
  return answer.body.results.map(({ id }: { id: string }) => id)
}

describe('POST /v1/sessions/search', () => {
  test('answers with the sessions, first the one whose transcript has the words', async () => {
    const user = await newUser()
    const other = await user.session({ title: 'Garden', timestamp: '2026-02-01T09:00:00Z', ...SOIL })
    const id = await user.session({ title: 'Review', timestamp: '2026-03-01T09:00:00Z', type: 'meeting', ...BATTERY })
    const { status, body } = await user.post('/v1/sessions/search', { query: 'how long do batteries last' })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        query: 'how long do batteries last',
        results: [
          {
            id,
            title: 'Review',
            timestamp: '2026-03-01T09:00:00.000Z',
            type: 'meeting',
            similarity: expect.any(Number),
            snippet: 'Ben: The battery lasts two days. Ada: Then we should print that on the box.'
          },
          {
            id: other,
            title: 'Garden',
            timestamp: '2026-02-01T09:00:00.000Z',
            type: 'import',
            similarity: expect.any(Number),
            snippet: 'Ada: We water the tomatoes in the morning. Ben: The soil is dry.'
          }
        ],
        total: 2
      }
    })
    for (const { similarity } of body.results) {
      expect(similarity).toBeGreaterThanOrEqual(0)
      expect(similarity).toBeLessThanOrEqual(1)
    }
  })

  test('shows at most `limit` sessions, by default ten; `total` is their number', async () => {
    const user = await newUser()
    for (let at = 0; at < 12; at++) await user.session({ ...SOIL, external_id: `soil-${at}` })
    const totals = []
    for (const body of [{}, { limit: 3 }, { limit: 50 }]) {
      const answer = await user.post('/v1/sessions/search', { query: 'tomatoes', ...body })
      totals.push([answer.body.results.length, answer.body.total])
    }
    expect(totals).toEqual([
      [10, 10],
      [3, 3],
      [12, 12]
    ])
  })

  test.each([
    [{}, 'query: send a text of 1 to 10000 characters'],
    [{ query: '' }, 'query: send a text of 1 to 10000 characters'],
    [{ query: ['tomatoes'] }, 'query: send a text of 1 to 10000 characters'],
    [{ query: 'x'.repeat(10_001) }, 'query: send a text of 1 to 10000 characters'],
    [{ query: 'x', limit: 0 }, 'limit: send a whole number from 1 to 50'],
    [{ query: 'x', limit: 51 }, 'limit: send a whole number from 1 to 50'],
    [{ query: 'x', limit: '10' }, 'limit: send a whole number from 1 to 50'],
    [{ query: 'x', tags: 'a' }, 'tags: send a list of at most 20 tags'],
    [{ query: 'x', tags: Array.from({ length: 21 }, (_, at) => `${at}`) }, 'tags: send a list of at most 20 tags'],
    [{ query: 'x', tag_mode: 'none' }, 'tag_mode: send any or all'],
    [{ query: 'x', type: 'opera' }, 'type: send one of meeting, recording, phone, desktop, import, youtube, podcast'],
    [{ query: 'x', since: 'yesterday' }, 'since: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    [{ query: 'x', until: 5 }, 'until: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    [{ query: 'x', folder: '' }, 'folder: send the id or the name of a folder'],
    [{ query: 'x', person: 7 }, 'person: send the id of a person, or me'],
    [{ query: 'x', include_passages: 'yes' }, 'include_passages: send true or false']
  ])('refuses %.60j, naming the field and what to send', async (body, message) => {
    const user = await newUser('sessions:search')
    expect(await user.post('/v1/sessions/search', body)).toEqual({
      status: 400,
      body: { error: { code: 'invalid_request', message } }
    })
  })

  test("never shows sessions that are another owner's, deleted or not completed", async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    await stranger.session(SOIL)
    await acceptSession(user.id, { ...SOIL, external_id: 'unfinished' })
    const deleted = await user.session({ ...SOIL, external_id: 'deleted' })
    expect(await found(user, { query: 'tomatoes' })).toEqual([deleted])
    await user.delete(`/v1/sessions/${deleted}`)
    expect(await found(user, { query: 'tomatoes' })).toEqual([])
  })

  test('compares tags exactly: any of them, or all', async () => {
    const user = await newUser()
    const both = await user.session({ ...SOIL, tags: ['Garden', 'dry'], external_id: 'both' })
    const one = await user.session({ ...SOIL, tags: ['Garden'], external_id: 'one' })
    await user.session({ ...SOIL, tags: ['garden', 'Garden,dry'], external_id: 'none' })
    const search = async (body: object) => (await found(user, { query: 'tomatoes', ...body })).sort()
    expect(await search({ tags: ['Garden', 'dry'] })).toEqual([both, one].sort())
    expect(await search({ tags: ['Garden', 'dry'], tag_mode: 'any' })).toEqual([both, one].sort())
    expect(await search({ tags: ['Garden', 'dry'], tag_mode: 'all' })).toEqual([both])
    expect(await search({ tags: ['Dry'] })).toEqual([])
    expect(await search({ tags: [] })).toHaveLength(3)
  })

  test('has phone metadata on phone sessions only', async () => {
    const user = await newUser()
    await user.session({
      ...SOIL,
      type: 'phone',
      phone: { direction: 'outbound', to_number: '+12025550123', status: 'completed' }
    })
    const { body } = await user.post('/v1/sessions/search', { query: 'tomatoes' })
    expect(body.results[0].phone).toEqual({
      direction: 'outbound',
      to_number: '+12025550123',
      from_number: null,
      status: 'completed',
      ongoing: false,
      provider: null,
      contact_name: null
    })
  })

  test('filters by type, time, folder and person, separately and together', async () => {
    const user = await newUser()
    const early = await user.session({
      ...SOIL,
      type: 'meeting',
      timestamp: '2026-01-01T00:00:00Z',
      folders: ['Allotment']
    })
    const late = await user.session({
      ...BATTERY,
      type: 'podcast',
      timestamp: '2026-02-01T00:00:00Z',
      speakers: [{ label: 'Ben', person: 'Benjamin Franklin' }]
    })
    const query = 'tomatoes and batteries'
    const { body: folders } = await user.get('/v1/folders')
    const { body: people } = await user.get('/v1/people')
    const ben = people.people.find(({ name }: { name: string }) => name === 'Benjamin Franklin').id
    expect(await found(user, { query, type: 'meeting' })).toEqual([early])
    expect(await found(user, { query, since: '2026-02-01T00:00:00Z' })).toEqual([late])
    expect(await found(user, { query, until: '2026-02-01T00:00:00Z' })).toEqual([early])
    expect(await found(user, { query, folder: 'ALLOTMENT' })).toEqual([early])
    expect(await found(user, { query, folder: folders.folders[0].id })).toEqual([early])
    expect(await found(user, { query, person: ben })).toEqual([late])
    const all = {
      type: 'podcast',
      since: '2026-01-15',
      until: '2026-03-01',
      person: ben,
      tags: ['none'],
      folder: 'Allotment'
    }
    expect(await found(user, { query, ...all })).toEqual([])
    expect(await user.post('/v1/sessions/search', { query, folder: 'Cellar' })).toEqual({
      status: 404,
      body: { error: { code: 'not_found', message: 'folder: folder not found' } }
    })
    expect(await user.post('/v1/sessions/search', { query, person: 'per_none' })).toEqual({
      status: 404,
      body: { error: { code: 'not_found', message: 'person: person not found' } }
    })
  })
})

describe('what is searched', () => {
  test('title, tags, people, notes and summary count, even those of a session without speech', async () => {
    const user = await newUser()
    await user.session({ ...SOIL, external_id: 'other' })
    const document = {
      segments: [],
      media: { audio: 'https://example.com/a.mp3' },
      language: 'en',
      summary: 'Silence.',
      action_items: []
    }
    const ids = {
      submarine: await user.session({ ...document, title: 'A submarine', external_id: '1' }),
      violin: await user.session({ ...document, tags: ['violins'], external_id: '2' }),
      glacier: await user.session({ ...document, notes: 'Look at the glacier again.', external_id: '3' }),
      pyramid: await user.session({
        ...document,
        summary: '## Overview\n\n- The **pyramid** is older.',
        external_id: '4'
      }),
      lovelace: await user.session({
        ...document,
        ...BATTERY,
        speakers: [{ label: 'Ada', person: 'Ada Lovelace' }],
        external_id: '5'
      })
    }
    for (const [word, id] of Object.entries(ids))
      expect([word, (await found(user, { query: word }))[0]]).toEqual([word, id])
    const { body } = await user.post('/v1/sessions/search', { query: 'pyramids', limit: 1 })
    expect(body.results[0].snippet).toContain('The pyramid is older.')
    expect(body.results[0]).not.toHaveProperty('similarity')
  })

  test('a change is found at once, and the replaced text no longer', async () => {
    const user = await newUser()
    const [first, second] = [
      await user.session({ ...SOIL, title: 'Kangaroo' }),
      await user.session({ ...BATTERY, title: 'Wombat' })
    ]
    expect((await found(user, { query: 'wombats' }))[0]).toBe(second)
    await user.patch(`/v1/sessions/${first}`, { title: 'Wombat', tags: ['koala'], notes: 'Platypus' })
    await user.patch(`/v1/sessions/${second}`, { title: 'Kangaroo' })
    for (const query of ['wombats', 'koalas', 'platypus']) expect((await found(user, { query }))[0]).toBe(first)
    expect((await found(user, { query: 'kangaroos' }))[0]).toBe(second)
  })

  test('words are stemmed in the language of the session', async () => {
    const user = await newUser()
    const words = (language: string | undefined, text: string) =>
      user.session({
        ...(language && { language }),
        external_id: text,
        segments: [{ speaker: 'A', text }],
        summary: '-',
        action_items: []
      })
    const german = await words('de-AT', 'Wir kaufen die alten Häuser am Fluss.')
    const named = await words('German', 'Wir kaufen die neuen Bäume am Wald.')
    const french = await words('fr', 'Nous avons mangé des gâteaux.')
    const japanese = await words('ja', '電池は二日持ちます。')
    const english = await words('en', 'She is running the studies.')
    expect((await found(user, { query: 'Haus kauft' }))[0]).toBe(german)
    expect((await found(user, { query: 'Baum kauft' }))[0]).toBe(named)
    expect((await found(user, { query: 'manger gâteau' }))[0]).toBe(french)
    expect((await found(user, { query: '電池' }))[0]).toBe(japanese)
    expect((await found(user, { query: 'study runs' }))[0]).toBe(english)
  })
})
