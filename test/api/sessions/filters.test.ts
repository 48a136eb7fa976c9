// @module-tag both

import { describe, expect, test } from 'vitest'
import { acceptSession, newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const tagged = (user: User, ...tags: string[]) => user.session({ title: tags.join(' '), tags })

async function titles(user: User, query: string): Promise<string[]> {
  const { status, body } = await user.get(`/v1/sessions?${query}`)
  expect([status, body.error]).toEqual([200, undefined])
  return body.sessions.map(({ title }: { title: string }) => title)
}

function refused(message: string) {
  return { status: 400, body: { error: { code: 'invalid_request', message } } }
}

describe('an instant in a query', () => {
  const inAnyForm = [
    '2026-03-02T10:00:00,5Z',
    '2026-03-02t10:00:00.5z',
    '2026-03-02 12:00:00.5+02',
    '2026-03-02T06:30:00.5000001-0330'
  ]

  test.each(inAnyForm)('may be written as %s', async written => {
    const user = await newUser()
    const [before, after] = ['2026-03-02T10:00:00.499Z', '2026-03-02T10:00:00.500Z']
    const speakers = [{ label: 'Ada', person: 'Ada', is_me: true }]
    for (const timestamp of [before, after])
      await user.session({ title: timestamp, timestamp, speakers, action_items: [{ text: timestamp }] })
    const at = encodeURIComponent(written)
    const shown = async (path: string) =>
      (await user.get(`/v1/${path}${at}`)).body.sessions.map(({ title }: { title: string }) => title)
    expect(await shown('sessions?since=')).toEqual([after])
    expect(await shown('sessions?cursor=')).toEqual([before])
    expect(await shown('people/me/sessions?from=')).toEqual([after])
    expect(await shown('people/me/sessions?to=')).toEqual([before])
    expect(await shown('people/me/sessions?cursor=2026-03-02T10:00:00.5001Z&to=')).toEqual([before])
    expect((await user.get(`/v1/sessions/stats?since=${at}&until=2026-03-03`)).body.total_sessions).toBe(1)
    expect((await user.get(`/v1/sessions/stats?since=2026-03-02&until=${at}`)).body.total_sessions).toBe(1)
    expect((await user.get(`/v1/action-items?updated_since=${at}`)).body.action_items).toEqual([])
    expect((await user.get(`/v1/sessions?order=updated&updated_since=${at}`)).body.sessions).toEqual([])
    const { body } = await user.post('/v1/sessions/search', { query: 'weekly review', since: written })
    expect(body.results.map(({ title }: { title: string }) => title)).toEqual([after])
  })
})

describe('GET /v1/sessions?tag', () => {
  test('returns each session with at least one of the tags once; tags are repeated or separated by commas', async () => {
    const user = await newUser('sessions:read')
    for (const tags of [['a'], ['b'], ['a', 'b'], ['c'], []]) await tagged(user, ...tags)
    for (const query of ['tag=a&tag=b', 'tag=a,b', 'tag=a,b&tag=a', 'tag=a,,b', 'tag_mode=any&tag=b,a']) {
      expect(await titles(user, query)).toEqual(['a b', 'b', 'a'])
    }
    expect(await titles(user, 'tag=c')).toEqual(['c'])
  })

  test('returns sessions with every tag for tag_mode=all', async () => {
    const user = await newUser('sessions:read')
    for (const tags of [['a'], ['b', 'a'], ['a', 'b', 'c'], ['b', 'c']]) await tagged(user, ...tags)
    expect(await titles(user, 'tag_mode=all&tag=a,b')).toEqual(['a b c', 'b a'])
    expect(await titles(user, 'tag_mode=all&tag=a,b&tag=c')).toEqual(['a b c'])
    expect(await titles(user, 'tag_mode=all&tag=a,nowhere')).toEqual([])
  })

  test('a tag with a comma is found, alone, beside others and with every one of them', async () => {
    const user = await newUser()
    await user.session({ external_id: 'both', title: 'both', tags: ['Lind, Marta', 'sales'] })
    await user.session({ external_id: 'one', title: 'one', tags: ['sales'] })
    const comma = encodeURIComponent('Lind, Marta')
    const escaped = encodeURIComponent('Lind\\, Marta')
    expect(await titles(user, `tag=${comma}`)).toEqual(['both'])
    expect(await titles(user, `tag=${escaped}`)).toEqual(['both'])
    expect(await titles(user, `tag_mode=all&tag=${escaped}&tag=sales`)).toEqual(['both'])
    expect(await titles(user, `tag_mode=all&tag=${escaped},sales`)).toEqual(['both'])
    expect((await titles(user, `tag=${comma}&tag=sales`)).toSorted()).toEqual(['both', 'one'])
  })

  test('compares tags exactly, including case and spaces', async () => {
    const user = await newUser('sessions:read')
    for (const tag of ['Team', 'team', ' team', 'Team A', '100%', '日本']) await tagged(user, tag)
    expect(await titles(user, 'tag=team')).toEqual(['team'])
    expect(await titles(user, 'tag=%20team')).toEqual([' team'])
    expect(await titles(user, `tag=${encodeURIComponent('Team A,日本,100%')}`)).toEqual(['日本', '100%', 'Team A'])
  })

  test('follows the tags of a PATCH', async () => {
    const user = await newUser()
    const id = await tagged(user, 'old')
    await user.patch(`/v1/sessions/${id}`, { tags: ['new', 'other'] })
    expect(await titles(user, 'tag=old')).toEqual([])
    expect(await titles(user, 'tag_mode=all&tag=new,other')).toEqual(['old'])
    await user.patch(`/v1/sessions/${id}`, { tags: [] })
    expect(await titles(user, 'tag=new')).toEqual([])
  })

  test.each([
    ['tag=', 'tag: send 1 to 20 tags'],
    ['tag=,', 'tag: send 1 to 20 tags'],
    [`tag=${Array.from({ length: 21 }, (_, n) => n)}`, 'tag: send 1 to 20 tags'],
    ['tag=a&tag_mode=some', 'tag_mode: send any or all'],
    ['tag_mode=ALL', 'tag_mode: send any or all'],
    ['tag=a&tag_mode=any&tag_mode=all', 'tag_mode: send it once'],
    ['folder=', 'folder: send the id or the name of a folder'],
    ['folder=a&folder=b', 'folder: send it once']
  ])('refuses ?%s and says what to send', async (query, message) => {
    const user = await newUser('sessions:read')
    expect(await user.get(`/v1/sessions?${query}`)).toEqual(refused(message))
  })
})

describe('GET /v1/sessions?folder', () => {
  test('takes a folder by its id, or by its name in any case', async () => {
    const user = await newUser('sessions:read')
    const id = await user.session({ title: 'in', folders: ['Große Kunden'] })
    await user.session({ title: 'elsewhere', folders: ['Others'] })
    const [folder] = (await user.get(`/v1/sessions/${id}`)).body.folder_ids
    for (const name of [folder, 'Große Kunden', 'GROSSE KUNDEN', ' große kunden ']) {
      expect(await titles(user, `folder=${encodeURIComponent(name)}`)).toEqual(['in'])
    }
  })

  test('lists the newest first, whatever the sort_order of the folder', async () => {
    const user = await newUser('sessions:read', 'folders:write')
    for (const [title, day] of [
      ['b', 1],
      ['c', 3],
      ['a', 2]
    ])
      await user.session({ title, timestamp: `2026-03-0${day}`, folders: ['F'] })
    const [folder] = (await user.get('/v1/folders')).body.folders
    for (const sort_order of ['oldest', 'title', 'newest']) {
      expect((await user.patch(`/v1/folders/${folder.id}`, { sort_order })).body).toMatchObject({ sort_order })
      expect(await titles(user, 'folder=F')).toEqual(['c', 'a', 'b'])
    }
  })

  test("answers not_found for an unknown folder and for another user's", async () => {
    const [user, stranger] = [await newUser('sessions:read'), await newUser()]
    const theirs = await stranger.session({ folders: ['Theirs'] })
    const [folder] = (await stranger.get(`/v1/sessions/${theirs}`)).body.folder_ids
    for (const name of ['Theirs', folder, 'nothing']) {
      expect(await user.get(`/v1/sessions?folder=${name}`)).toEqual({
        status: 404,
        body: { error: { code: 'not_found', message: 'folder: folder not found' } }
      })
    }
  })

  test('hides sessions that are processing', async () => {
    const user = await newUser('sessions:read')
    await acceptSession(user.id, { folders: ['F'], tags: ['t'] })
    for (const query of ['folder=F', 'tag=t', 'folder=f&tag=t&tag_mode=all'])
      expect(await titles(user, query)).toEqual([])
  })
})

describe('filters together', () => {
  test('return the sessions that pass every filter, page by page, each session once', async () => {
    const user = await newUser('sessions:read')
    const made: { title: string; type: string; tags: string[]; folders: string[]; at: number }[] = []
    for (let n = 0; n < 60; n++) {
      const one = {
        title: `s${n}`,
        type: ['meeting', 'phone', 'podcast'][n % 3]!,
        tags: ['a', 'b', 'c'].filter((_, bit) => (n >> bit) & 1),
        folders: ['F', 'G'].filter((_, bit) => (n >> (bit + 2)) & 1),
        at: Date.UTC(2026, 0, 1 + ((n * 7) % 30))
      }
      made.push(one)
      const { at, ...document } = one
      await user.session({ ...document, timestamp: new Date(at).toISOString() })
    }
    made.reverse().sort((a, b) => b.at - a.at)

    const since = Date.UTC(2026, 0, 6)
    for (const type of [undefined, 'meeting']) {
      for (const folder of [undefined, 'F', 'G']) {
        for (const [mode, ...tags] of [
          ['any'],
          ['any', 'a'],
          ['any', 'a', 'b'],
          ['all', 'a', 'b'],
          ['all', 'a', 'b', 'c']
        ]) {
          for (const limit of [3, 100]) {
            const expected = made
              .filter(
                one => one.at >= since && (!type || one.type === type) && (!folder || one.folders.includes(folder))
              )
              .filter(
                one => tags.length === 0 || tags[mode === 'any' ? 'some' : 'every'](tag => one.tags.includes(tag))
              )
            const query = new URLSearchParams({
              limit: String(limit),
              since: new Date(since).toISOString(),
              ...(type && { type }),
              ...(folder && { folder }),
              ...(tags.length > 0 && { tag: tags.join(','), tag_mode: mode! })
            })
            expect([String(query), await allTitles(user, query)]).toEqual([
              String(query),
              expected.map(({ title }) => title)
            ])
          }
        }
      }
    }
  })

  test('return a full page although the first members do not count', async () => {
    const user = await newUser('sessions:read')
    for (let n = 0; n < 5; n++)
      await user.session({ title: `old ${n}`, tags: ['t', 'u'], folders: ['F'], timestamp: '2026-01-01T00:00:00Z' })
    for (let n = 0; n < 30; n++)
      await acceptSession(user.id, { tags: ['t', 'u'], folders: ['F'], timestamp: '2026-02-01T00:00:00Z' })
    for (const query of [
      'tag=t',
      'tag=t,u',
      'tag=t,u&tag_mode=all',
      'folder=F',
      'folder=F&tag=t,u',
      'folder=F&tag=t,u&tag_mode=all'
    ]) {
      expect(await titles(user, `${query}&limit=4`)).toEqual(['old 4', 'old 3', 'old 2', 'old 1'])
    }
  })

  test('find the few sessions that two filters with many members have in common', async () => {
    const user = await newUser('sessions:read')
    await user.session({ folders: ['F'], speakers: [{ label: 'Ada', person: 'Ada', is_me: true }], title: 'first' })
    const { body } = await user.get('/v1/folders')
    // Even numbers are in the folder, odd ones and each hundredth have the person and the tags.
    await user.db.execute(`
      with made as (
        insert into sessions (user_id, session_id, state, title, tags, sort_at, duration_seconds, type, created_at, updated_at)
        select '${user.id}', 'ses_' || n, case when n = 300 then 'failed' else 'completed' end, n::text,
          case when n % 2 = 1 or n % 100 = 0 then '{t,u}'::text[] else '{}' end, timestamptz '2020-01-01' + n * interval '1 second', 0,
          case when n = 500 then 'phone' else 'import' end, now(), now()
        from generate_series(1, 1200) n returning user_id, session_id, title::int as n, tags, sort_at, type
      ), foldered as (
        insert into folder_sessions (user_id, session_id, folder_id, sort_at, type)
        select user_id, session_id, '${body.folders[0].id}', sort_at, type from made where n % 2 = 0
      ), tagged as (
        insert into session_tags (user_id, session_id, tag, sort_at, type) select user_id, session_id, unnest(tags), sort_at, type from made
      )
      insert into session_people (user_id, session_id, person_id, sort_at, type, talk_seconds, name_in_session, matched_by, top_lines)
      select m.user_id, m.session_id, p.person_id, m.sort_at, m.type, 1, 'Ada', 'name', '{}' from made m, people p
      where cardinality(m.tags) > 0 and p.user_id = m.user_id`)
    const common = ['1200', '1100', '1000', '900', '800', '700', '600', '500', '400', '200', '100']
    for (const filters of [
      'folder=F&tag=t',
      'folder=F&tag=t,u',
      'folder=F&tag=t,u&tag_mode=all',
      'folder=F&person=me&tag=t,u'
    ])
      expect(await titles(user, `${filters}&limit=100`)).toEqual(common)
    expect(await titles(user, 'folder=F&person=me&limit=100')).toEqual(['first', ...common])
    expect(await titles(user, 'folder=F&person=me&tag=t&limit=3&cursor=2020-01-01T00:18:00Z')).toEqual(
      common.slice(2, 5)
    )
    expect(await titles(user, 'folder=F&person=me&type=phone')).toEqual(['500'])
  })
})

async function allTitles(user: User, filters: URLSearchParams) {
  const query = new URLSearchParams(filters)
  const found: string[] = []
  for (;;) {
    const { body } = await user.get(`/v1/sessions?${query}`)
    found.push(...body.sessions.map(({ title }: { title: string }) => title))
    if (!body.has_more) return found
    query.set('cursor', body.next_cursor)
  }
}

describe('GET /v1/sessions?favorite', () => {
  test('returns favorites only, alone and with every other filter, page by page', async () => {
    const user = await newUser()
    const common = { tags: ['t'], folders: ['Clients'], type: 'meeting', speakers: [{ label: 'Ada', person: 'Ada' }] }
    for (const [at, title] of ['one', 'two', 'three', 'four'].entries()) {
      const id = await user.session({ ...common, title, timestamp: `2026-01-0${at + 1}T09:00:00Z` })
      if (title !== 'two') await user.patch(`/v1/sessions/${id}`, { favorite: true })
    }
    const plain = await user.session({
      title: 'plain',
      timestamp: '2026-02-01T09:00:00Z',
      segments: [{ speaker: 'Ben', text: 'Good morning.' }]
    })
    await user.patch(`/v1/sessions/${plain}`, { favorite: true })
    const ada = (await user.get('/v1/people')).body.people.find(({ name }: { name: string }) => name === 'Ada')
    expect(await titles(user, 'favorite=true')).toEqual(['plain', 'four', 'three', 'one'])
    for (const filter of ['tag=t', 'folder=clients', `person=${ada.id}`, 'type=meeting', 'until=2026-01-20'])
      expect([filter, await titles(user, `favorite=true&${filter}`)]).toEqual([filter, ['four', 'three', 'one']])
    expect(await titles(user, `favorite=true&tag=t&folder=clients&person=${ada.id}&title=four&limit=1`)).toEqual([
      'four'
    ])
    expect(await titles(user, 'favorite=true&status=failed')).toEqual([])
    const { next_cursor: next } = (await user.get('/v1/sessions?favorite=true&limit=2')).body
    expect(await titles(user, `favorite=true&limit=2&cursor=${next}`)).toEqual(['three', 'one'])
  })

  test('takes true, and nothing else', async () => {
    const user = await newUser()
    for (const value of ['false', '1'])
      expect(await user.get(`/v1/sessions?favorite=${value}`)).toMatchObject(
        refused('favorite: send true, or leave it out')
      )
    expect((await user.get('/v1/sessions?favorite=true&order=updated')).status).toBe(400)
  })
})
