// @module-tag both

import { describe, expect, test } from 'vitest'
import { newAppUser } from '../../support/admin-api.ts'
import { newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

/** A conversation in which Ada and Ben take turns. */
const said = (...texts: string[]) => ({
  language: 'en',
  summary: '-',
  action_items: [],
  external_id: texts.join(' ').slice(0, 100),
  segments: texts.map((text, at) => ({ speaker: at % 2 ? 'Ben' : 'Ada', start: at * 5, end: at * 5 + 5, text }))
})
const between = (...names: string[]) => ({
  speakers: names.map((person, at) => ({ label: at % 2 ? 'Ben' : 'Ada', person }))
})

async function search(user: User, query: string, body: object = {}) {
  const answer = await user.post('/v1/sessions/search', { query, ...body })
  expect(answer.status).toBe(200)
  return answer.body
}

async function found(user: User, query: string, body: object = {}): Promise<string[]> {
  return (await search(user, query, body)).results.map(({ id }: { id: string }) => id)
}

describe('a quoted phrase', () => {
  test('comes first, without case and marks, and the snippet shows it', async () => {
    const user = await newUser()
    for (let at = 0; at < 3; at++)
      await user.session(said(`Soil, dry soil ${at}. Dry soil is dry, the soil.`, 'Which soil is it? The dry one.'))
    const [phrase, accents] = [
      await user.session(said('Nothing else matters here.', 'Well, THE soil, is dry — in the café noir.')),
      await user.session({ ...said('We met at the Cafe\u0301 Noir again.', 'Noir is a colour.'), language: 'fr' })
    ]
    for (const query of [
      '"the soil is dry" soil',
      '“The soil is dry”',
      'soil „the soil is dry“',
      '«The Soil is Dry»'
    ]) {
      const { results } = await search(user, query)
      expect([query, results[0].id]).toEqual([query, phrase])
      expect(results[0].snippet).toContain('THE soil, is dry')
    }
    expect((await found(user, '"cafe noir"')).slice(0, 2).sort()).toEqual([phrase, accents].sort())
    expect((await found(user, '"again" "café noir"'))[0]).toBe(accents)
  })

  test('is found in title, notes and summary, which the snippet quotes', async () => {
    const user = await newUser()
    const words = 'The board was green and the report was long.'
    await user.session(said(`${words} ${words}`))
    const ids = [
      await user.session({ ...said('Green board, long report, one.'), title: 'The green board report' }),
      await user.session({
        ...said('Green board, long report, two.'),
        notes: '- It is about the *green* board report.'
      }),
      await user.session({ ...said('Green board, long report, three.'), summary: 'A green board report, again.' })
    ]
    const { results } = await search(user, '"green board report"')
    expect(
      results
        .slice(0, 3)
        .map(({ id }: { id: string }) => id)
        .sort()
    ).toEqual(ids.sort())
    for (const { snippet } of results.slice(0, 3)) expect(snippet).toMatch(/green board report/i)
  })

  test('is shown even late in a long sentence', async () => {
    const user = await newUser()
    const long = 'and then we talked on and on about it without a stop '.repeat(20)
    const id = await user.session(said(`${long} until the copper kettle sang ${long}`))
    const { results } = await search(user, 'who said "the copper kettle sang"')
    expect(results[0].id).toBe(id)
    expect(results[0].snippet).toContain('the copper kettle sang')
    expect([...results[0].snippet].length).toBeLessThanOrEqual(300)
  })

  test('works in Chinese and Japanese', async () => {
    const user = await newUser()
    await user.session({ ...said('二日と電池です。持ちますか、電池。'), language: 'ja' })
    const id = await user.session({ ...said('この電池は二日持ちますよ。'), language: 'ja' })
    expect((await found(user, '「電池は二日」 電池 持ちます'))[0]).toBe(id)
  })

  test('is found and shown anywhere in a long stretch of Chinese without a full stop', async () => {
    const user = await newUser()
    // No two of these characters follow each other twice.
    const text = Array.from({ length: 700 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * at) % 20_011))).join('')
    const id = await user.session({ ...said(text), language: 'zh' })
    for (const at of [0, 19, 58, 79, 400, 690]) {
      const phrase = text.slice(at, at + 6)
      const { results } = await search(user, `「${phrase}」`, { include_passages: true })
      expect([at, results[0]?.id, results[0]?.snippet.includes(phrase)]).toEqual([at, id, true])
      expect(results[0].passages[0].text).toBe(`Ada: ${text}`)
      expect([...results[0].snippet].length).toBeLessThanOrEqual(300)
    }
  })

  test.each([
    '"',
    'a " b',
    '"" soil',
    '“soil',
    '5" and 6" soil',
    '"the of and"',
    `"${'soil '.repeat(1_000)}"`,
    '"a"'.repeat(2_000)
  ])('is ordinary text if it is not a phrase: %.20s', async query => {
    const user = await newUser()
    await user.session(said('The soil is dry.'))
    expect((await found(user, `soil ${query}`)).length).toBe(1)
  })

  test('does not count in sessions of another owner, in the trash or outside the filter', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    await stranger.session(said('The soil is dry.'))
    const deleted = await user.session(said('The soil is dry, too.'))
    const kept = await user.session({ ...said('Soil and dry, the is.'), type: 'meeting' })
    await user.session({ ...said('And the soil is dry again.'), type: 'podcast' })
    await user.delete(`/v1/sessions/${deleted}`)
    expect(await found(user, '"the soil is dry"', { type: 'meeting' })).toEqual([kept])
  })
})

describe('a person and a period in the query', () => {
  /** The clock stands at a Monday in March 2026. */
  async function library() {
    const user = await newAppUser()
    const pricing = 'The pricing of the new plan is what we talk about, and pricing it is.'
    const ids: Record<string, string> = {}
    for (const [name, person, timestamp] of [
      ['ada now', 'Ada Lovelace', '2026-02-25T10:00:00Z'],
      ['ada then', 'Ada Lovelace', '2025-11-05T10:00:00Z'],
      ['cleo now', 'Cleo Ohm', '2026-02-24T10:00:00Z'],
      ['cleo then', 'Cleo Ohm', '2025-11-04T10:00:00Z']
    ] as const) {
      ids[name] = await user.session({
        ...said(`${pricing} (${name.split(' ')[1]})`),
        ...between(person),
        external_id: name,
        timestamp
      })
    }
    const { body } = await user.get('/v1/people')
    const people = new Map<string, string>(body.people.map(({ name, id }: { name: string; id: string }) => [name, id]))
    return { user, ids, people }
  }

  test('rank their sessions higher and are shown in the answer; no session is left out', async () => {
    const { user, ids, people } = await library()
    const { interpreted, results } = await search(user, 'what did Ada say about pricing last week')
    expect(interpreted).toEqual({
      person: { id: people.get('Ada Lovelace'), name: 'Ada Lovelace' },
      since: '2026-02-23T00:00:00.000Z',
      until: '2026-03-02T00:00:00.000Z'
    })
    expect(results).toHaveLength(4)
    expect(results[0].id).toBe(ids['ada now'])
    expect(results[3].id).toBe(ids['cleo then'])
  })

  test('count separately', async () => {
    const { user, ids, people } = await library()
    const [who, when] = [
      await search(user, 'what did cleo say about pricing'),
      await search(user, 'pricing in November')
    ]
    expect(who.interpreted).toEqual({
      person: { id: people.get('Cleo Ohm'), name: 'Cleo Ohm' },
      since: null,
      until: null
    })
    expect(when.interpreted).toEqual({
      person: null,
      since: '2025-11-01T00:00:00.000Z',
      until: '2025-12-01T00:00:00.000Z'
    })
    const first = ({ results }: { results: { id: string }[] }) =>
      results
        .slice(0, 2)
        .map(({ id }) => id)
        .sort()
    expect(first(who)).toEqual([ids['cleo now'], ids['cleo then']].sort())
    expect(first(when)).toEqual([ids['ada then'], ids['cleo then']].sort())
  })

  test('begin and end by the time zone of the user', async () => {
    const { user } = await library()
    await user.adminApi.patch('', { time_zone: 'America/New_York' })
    expect((await search(user, 'pricing yesterday')).interpreted).toEqual({
      person: null,
      since: '2026-03-01T05:00:00.000Z',
      until: '2026-03-02T05:00:00.000Z'
    })
  })

  test('are ordinary words with `interpret: false`, and in a query that names neither', async () => {
    const { user } = await library()
    expect(await search(user, 'what did Ada say about pricing last week', { interpret: false })).not.toHaveProperty(
      'interpreted'
    )
    for (const query of ['the monthly report', 'may I ask', 'Cleopatra', `Ada ${'pricing '.repeat(100)}`]) {
      expect(await search(user, query)).not.toHaveProperty('interpreted')
    }
  })

  test('are found when the query names only them', async () => {
    const { user, ids } = await library()
    expect((await found(user, 'what did Ada Lovelace say last week'))[0]).toBe(ids['ada now'])
    expect((await found(user, 'last week')).slice(0, 2).sort()).toEqual([ids['ada now'], ids['cleo now']].sort())
  })

  test('are not found by a name that two people share, or of another owner', async () => {
    const { user } = await library()
    await user.session({ ...said('Hello there.'), ...between('Ada Byron') })
    expect(await search(user, 'what did Ada say about pricing')).not.toHaveProperty('interpreted')
    expect((await search(user, 'what did Ada Byron say')).interpreted.person.name).toBe('Ada Byron')
    const stranger = await newUser()
    await stranger.session(said('Pricing.'))
    expect(await search(stranger, 'what did Ada Byron say')).not.toHaveProperty('interpreted')
  })

  test('are not found by a name that only sessions in the trash have', async () => {
    const { user, ids } = await library()
    for (const name of ['cleo now', 'cleo then']) await user.adminApi.delete(`/sessions/${ids[name]}`)
    expect((await user.get('/v1/people')).body.people.map(({ name }: { name: string }) => name)).toEqual([
      'Ada Lovelace'
    ])
    expect(await search(user, 'what did Cleo say about pricing')).not.toHaveProperty('interpreted')
  })

  test('are found by both names of a merged person', async () => {
    const { user, people } = await library()
    await user.session({ ...said('Hello there.'), ...between('Countess King') })
    const { body } = await user.get('/v1/people')
    const from = body.people.find(({ name }: { name: string }) => name === 'Countess King').id
    expect((await user.adminApi.post(`/people/${from}/merge`, { into: people.get('Ada Lovelace') })).status).toBe(200)
    expect((await search(user, 'what did Countess King say')).interpreted.person).toEqual({
      id: people.get('Ada Lovelace'),
      name: 'Ada Lovelace'
    })
  })

  test('keep the first ten results without interpretation among the first fifty', async () => {
    const user = await newUser()
    const best: string[] = []
    for (let at = 0; at < 10; at++) {
      const text = `Pricing, pricing and pricing again: the pricing plan ${at}.`
      best.push(await user.session({ ...said(text), ...between('Cleo Ohm'), timestamp: '2020-01-01T00:00:00Z' }))
    }
    for (let at = 0; at < 60; at++) {
      const text = `The garden is green, and once there was a price ${at}.`
      await user.session({
        ...said(text),
        ...between('Ada Lovelace'),
        timestamp: '2026-02-25T00:00:00Z',
        external_id: `${at}`
      })
    }
    const query = 'what did Ada say about pricing plans last week'
    const alone = (await found(user, query, { interpret: false })).slice(0, 10)
    const all = await found(user, query, { limit: 50 })
    expect(alone.filter(id => !all.includes(id))).toEqual([])
    expect(best).not.toContain(all[0])
  })

  test('are refused with an `interpret` that is not a boolean', async () => {
    const user = await newUser()
    for (const interpret of ['no', 0, null]) {
      expect(await user.post('/v1/sessions/search', { query: 'x', interpret })).toEqual({
        status: 400,
        body: { error: { code: 'invalid_request', message: 'interpret: send true or false' } }
      })
    }
  })
})

describe('a word that the library does not have', () => {
  test('finds words one typing error away, and words that begin with it', async () => {
    const user = await newUser()
    for (let at = 0; at < 3; at++) await user.session(said(`The kitchen was painted, ${at}.`))
    const ids = {
      garcia: await user.session(said('We asked Garcia for the invoices.')),
      battery: await user.session(said('The batteries last two days.')),
      haus: await user.session({ ...said('Wir kaufen die alten Häuser am Fluss.'), language: 'de' }),
      kontrakt: await user.session({ ...said('Мы подписали договоры вчера.'), language: 'ru' })
    }
    for (const [query, id] of [
      ['Gracia', ids.garcia],
      ['Garica', ids.garcia],
      ['Garca', ids.garcia],
      ['Garrcia', ids.garcia],
      ['Harcia', ids.garcia],
      ['agrcia', ids.garcia],
      ['Garciaa', ids.garcia],
      ['invocies', ids.garcia],
      ['bateries', ids.battery],
      ['batter', ids.battery],
      ['Häsuer', ids.haus],
      ['догвор', ids.kontrakt]
    ]) {
      expect([query, (await found(user, query!))[0]]).toEqual([query, id])
    }
  })

  test('finds them even if another owner’s library has the word', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    await stranger.session(said('Garica is the name.'))
    await user.session(said('The kitchen was painted.'))
    const id = await user.session(said('We asked Garcia for it.'))
    expect((await found(user, 'Garica'))[0]).toBe(id)
  })
})
