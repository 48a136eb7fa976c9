import { describe, expect, test } from 'vitest'
import { updateUser } from '../../../src/features/access/queries.ts'
import { signedIn } from '../../support/console.ts'
import { acceptSession } from '../../support/server.ts'
import { restore, trash } from '../../support/trash.ts'

const PATH = '/overview'

type Browser = Awaited<ReturnType<typeof signedIn>>['browser']

/** The rows of the table with that caption, without markup: heading and value. */
async function rowsOf(browser: Browser, caption: string, query = '') {
  const { body } = await browser.get(`${PATH}${query}`)
  const table = body.split('<table ').find(one => one.includes(caption)) ?? ''
  const cells =
    /<tr><th scope="row">(.*?)<\/th>\s*(?:<td class="part".*?<\/td>)?<td[^>]*>(.*?)<\/td>(?:<td>(.*?)<\/td>)?/g
  return [...table.matchAll(cells)].map(([, ...found]) =>
    found
      .filter(cell => cell !== undefined)
      .map(cell => cell.replace(/<span class="face.*?<\/span>/g, '').replace(/<[^>]+>/g, ''))
  )
}

/** The weeks with a conversation, newest first. */
async function weeksOf(browser: Browser, query = '', weeks = 26) {
  const rows = await rowsOf(browser, 'from Monday to Sunday', query)
  expect(rows).toHaveLength(weeks)
  return rows.filter(([, sessions]) => sessions !== '0')
}

/** A speaker of the import document who is a person. */
const person = (name: string, start: number, end: number) => ({ speaker: name, person: name, start, end, text: 'Yes.' })

describe('weeks', () => {
  // Now is Monday, 2 March 2026, 10:00 UTC.
  test('have the conversations and hours of the last 26 weeks from Monday to Sunday, and no older ones', async () => {
    const { user, browser } = await signedIn()
    await user.session({ timestamp: '2026-03-02T09:00:00Z', duration_seconds: 5_400 })
    await user.session({ timestamp: '2026-02-25T09:00:00Z', duration_seconds: 1_800 })
    await user.session({ timestamp: '2026-02-23T00:00:00Z', duration_seconds: 1_800 })
    await user.session({ timestamp: '2025-09-08T00:00:00Z', duration_seconds: 3_600 })
    await user.session({ timestamp: '2025-09-07T23:59:59Z', duration_seconds: 3_600 })
    expect(await weeksOf(browser)).toEqual([
      ['2 March 2026', '1', '1.5 h'],
      ['23 February 2026', '2', '1 h'],
      ['8 September 2025', '1', '1 h']
    ])
    const { text } = await browser.get(PATH)
    expect(text).toContain('3.5 h in 4 conversations 5 in all, 4.5 h')
    expect(text).toContain('4 conversations in 26 weeks, the most in the week of 23 February 2026: 2 conversations.')
  })

  test.each([
    // Half an hour beside the hour, and the weeks in which the clock is turned back and forward.
    ['Asia/Kolkata', '2026-03-01T18:29:59.999Z', '2026-03-01T18:30:00Z', ['2 March 2026', '23 February 2026']],
    ['America/New_York', '2025-11-03T04:59:59Z', '2025-11-03T05:00:00Z', ['3 November 2025', '27 October 2025']],
    ['Pacific/Auckland', '2025-09-28T10:59:59Z', '2025-09-28T11:00:00Z', ['29 September 2025', '22 September 2025']],
    ['Pacific/Kiritimati', '2026-02-22T09:59:59Z', '2026-02-22T10:00:00Z', ['23 February 2026', '16 February 2026']]
  ])('begin at midnight in %s, and change with the time zone', async (timeZone, before, after, days) => {
    const { user, browser } = await signedIn()
    for (const timestamp of [before, after]) await user.session({ timestamp, duration_seconds: 3_600 })
    await updateUser(user.db, user.id, { timeZone })
    expect(await weeksOf(browser)).toEqual(days.map(day => [day, '1', '1 h']))
    await updateUser(user.db, user.id, {
      timeZone: timeZone === 'America/New_York' ? 'Asia/Tokyo' : 'America/New_York'
    })
    expect(await weeksOf(browser)).toEqual([[timeZone === 'America/New_York' ? days[0] : days[1], '2', '2 h']])
  })

  test('lead to their conversations', async () => {
    const { user, browser } = await signedIn()
    await updateUser(user.db, user.id, { timeZone: 'Asia/Kolkata' })
    for (const [title, timestamp] of [
      ['Earlier', '2026-02-22T18:29:59Z'],
      ['Within', '2026-02-22T18:30:00Z'],
      ['Later', '2026-03-01T18:30:00Z']
    ])
      await user.session({ title, timestamp })
    const { body } = await browser.get(PATH)
    const [, to = ''] = /<th scope="row"><a href="([^"]*)"><?[^>]*>?23 February 2026/.exec(body) ?? []
    const { body: list } = await browser.get(to.replaceAll('&amp;', '&'))
    expect(['Earlier', 'Within', 'Later'].filter(title => list.includes(`>${title}<`))).toEqual(['Within'])
  })
})

describe('a range', () => {
  /** Sessions of an hour on these days at noon. */
  async function withSessions(...days: string[]) {
    const signed = await signedIn()
    for (const day of days)
      await signed.user.session({ title: day, timestamp: `${day}T12:00:00Z`, duration_seconds: 3_600 })
    return signed
  }
  const conversations = async (browser: Browser, query: string) => {
    const { text } = await browser.get(`${PATH}${query}`)
    return /([\d,.]+ h in [\d,]+ conversations?)/.exec(text)?.[1]
  }

  test('has a column for each week, of a longer time for each month, and of a very long one for each year', async () => {
    const { browser } = await withSessions('2026-03-01', '2024-05-20', '2008-01-01')
    const counts = [
      [await conversations(browser, '?weeks=4'), (await weeksOf(browser, '?weeks=4', 4)).length],
      [await conversations(browser, '?weeks=52'), (await weeksOf(browser, '?weeks=52', 52)).length]
    ]
    expect(counts).toEqual([
      ['1 h in 1 conversation', 1],
      ['1 h in 1 conversation', 1]
    ])
    const months = await rowsOf(browser, '23 months, the latest', '?since=2024-05-01&until=2026-03-02')
    expect([months.at(-1), months[0]]).toEqual([
      ['May 2024', '1', '1 h'],
      ['March 2026', '1', '1 h']
    ])
    const years = await rowsOf(browser, '19 years, the latest', '?weeks=all')
    expect(years.filter(([, count]) => count !== '0')).toEqual([
      ['2026', '1', '1 h'],
      ['2024', '1', '1 h'],
      ['2008', '1', '1 h']
    ])
  })

  test('begins and ends with its days in the time zone of the user, and its figures lead to its conversations', async () => {
    const { user, browser } = await withSessions('2026-01-01', '2026-01-31', '2026-02-01')
    await updateUser(user.db, user.id, { timeZone: 'Pacific/Kiritimati' })
    // There each of them is a day later.
    const query = '?since=2026-01-02&until=2026-02-02'
    expect(await conversations(browser, query)).toBe('2 h in 2 conversations')
    const { body } = await browser.get(`${PATH}${query}`)
    const [, to = ''] = /<a href="(\/\?[^"]*)"><strong>2 h</.exec(body) ?? []
    const { body: list } = await browser.get(to.replaceAll('&amp;', '&'))
    expect(['2026-01-01', '2026-01-31', '2026-02-01'].filter(title => list.includes(`>${title}<`))).toEqual([
      '2026-01-01',
      '2026-01-31'
    ])
  })

  test('counts the last conversation also where its day has 25 hours', async () => {
    const { user, browser } = await signedIn()
    await updateUser(user.db, user.id, { timeZone: 'Europe/Berlin' })
    // Shortly after midnight of the day on which the clock is turned back.
    await user.session({ timestamp: '2025-10-25T22:30:00Z', duration_seconds: 3_600 })
    expect((await browser.get(PATH)).text).toContain('1 in all, 1 h')
  })

  test('bounds types, folders and talk time, whose rows lead to its conversations', async () => {
    const { user, browser } = await signedIn()
    for (const [timestamp, folder] of [
      ['2026-01-10T09:00:00Z', 'Clients'],
      ['2025-01-10T09:00:00Z', 'Board']
    ])
      await user.session({
        timestamp,
        folders: [folder],
        segments: [person('Ada Lovelace', 0, 60)],
        speakers: [{ label: 'Ada Lovelace', person: 'Ada Lovelace' }]
      })
    const query = '?since=2026-01-01&until=2026-02-01'
    expect([
      await rowsOf(browser, 'By folder', query),
      await rowsOf(browser, 'By folder', '?weeks=all'),
      await rowsOf(browser, 'Talk time', query)
    ]).toEqual([
      [['Clients', '1']],
      [
        ['Board', '1'],
        ['Clients', '1']
      ],
      [['Ada Lovelace', '1 min']]
    ])
    const { body } = await browser.get(`${PATH}${query}`)
    expect(body).toMatch(/href="\/\?person=per_\w+&amp;since=2026-01-01[^"]*&amp;until=2026-02-01/)
  })

  test.each([
    ['?since=2026-02-30', 400, 'a day such as 2026-03-06'],
    ['?until=0001-01-01', 400, 'a day such as 2026-03-06'],
    ['?since=2026-03-01&until=2026-03-01', 400, 'the range has no day'],
    ['?since=9000-01-01', 200, 'Overview'],
    ['?until=1800-01-01', 200, 'Overview'],
    ['?since=&until=&weeks=4', 200, '4 weeks']
  ])('%s is answered with %i', async (query, expected, words) => {
    const { browser } = await withSessions('2026-03-01')
    const { status, text } = await browser.get(`${PATH}${query}`)
    expect([status, text]).toEqual([expected, expect.stringContaining(words)])
  })

  test('compares this week with what the last one had by now', async () => {
    // Now is Monday at ten.
    const { user, browser } = await withSessions()
    for (const timestamp of [
      '2026-03-02T09:00:00Z',
      '2026-03-02T09:30:00Z',
      '2026-02-23T09:00:00Z',
      '2026-02-27T09:00:00Z'
    ])
      await user.session({ timestamp })
    expect((await browser.get(PATH)).text).toContain('2 conversations this week 1 more than last week by now')
  })
})

describe('the figures of the whole library', () => {
  test('are conversations by type, the most frequent first, each leading to its list', async () => {
    const { user, browser } = await signedIn()
    for (const type of ['phone', 'meeting', 'meeting']) await user.session({ type, timestamp: '2020-01-01T09:00:00Z' })
    expect(await rowsOf(browser, 'By type', '?weeks=all')).toEqual([
      ['Meeting', '2'],
      ['Phone call', '1']
    ])
    expect((await browser.get(`${PATH}?weeks=all`)).body).toContain('href="/?type=meeting"')
  })

  test('leave out what is in the trash, deleted, or not processed, and have it again once it is restored', async () => {
    const { user, browser } = await signedIn()
    const document = {
      type: 'meeting',
      timestamp: '2026-03-02T09:00:00Z',
      duration_seconds: 3_600,
      segments: [person('Ada Lovelace', 0, 60)],
      speakers: [{ label: 'Ada Lovelace', person: 'Ada Lovelace' }],
      action_items: [{ text: 'Send the offer', assignee: 'Ben' }]
    }
    const id = await user.session(document)
    const kept = await user.session({ ...document, timestamp: '2026-03-01T09:00:00Z' })
    const seen = async () => [
      (await weeksOf(browser)).map(([, sessions]) => sessions),
      (await rowsOf(browser, 'By type', '?weeks=all')).map(([, sessions]) => sessions),
      (await rowsOf(browser, 'Talk time', '?weeks=all')).map(([, time]) => time),
      (await rowsOf(browser, 'by assignee')).map(([, items]) => items)
    ]
    expect(await seen()).toEqual([['1', '1'], ['2'], ['2 min'], ['2']])
    await trash(user, user.id, id)
    expect(await seen()).toEqual([['1'], ['1'], ['1 min'], ['1']])
    await restore(user, user.id, id)
    expect(await seen()).toEqual([['1', '1'], ['2'], ['2 min'], ['2']])
    await user.delete(`/v1/sessions/${id}`)
    await acceptSession(user.id, document)
    expect(await seen()).toEqual([['1'], ['1'], ['1 min'], ['1']])
    expect((await browser.get(PATH)).body).toContain('href="/?status=processing"')
    await user.delete(`/v1/sessions/${kept}`)
    expect((await rowsOf(browser, 'By type', '?weeks=all')).length).toBe(0)
  })

  test('are the talk times of the ten people who speak longest', async () => {
    const { user, browser } = await signedIn()
    const names = Array.from({ length: 12 }, (_, at) => `Person ${'ABCDEFGHIJKL'[at]}`)
    await user.session({
      segments: names.map((name, at) => person(name, at * 4_000, at * 4_000 + 60 * (at + 1))),
      speakers: names.map(name => ({ label: name, person: name }))
    })
    expect(await rowsOf(browser, 'Talk time', '?weeks=all')).toEqual(
      Array.from({ length: 10 }, (_, at) => [names[11 - at], `${12 - at} min`])
    )
  })

  test('follow a person who is corrected, merged or deleted', async () => {
    const { user, browser } = await signedIn()
    const speakers = ['Ada Lovelace', 'Ben Bitdiddle', 'Cleo Smith'].map(name => ({ label: name, person: name }))
    const segments = [person('Ada Lovelace', 0, 600), person('Ben Bitdiddle', 600, 840), person('Cleo Smith', 840, 900)]
    const id = await user.session({ segments, speakers })
    await user.session({ segments: segments.slice(0, 2), speakers: speakers.slice(0, 2), title: 'Other' })
    const times = () => rowsOf(browser, 'Talk time', '?weeks=all')
    expect(await times()).toEqual([
      ['Ada Lovelace', '20 min'],
      ['Ben Bitdiddle', '8 min'],
      ['Cleo Smith', '1 min']
    ])
    const { body } = await user.get('/v1/people')
    const idOf = (name: string) => body.people.find((one: { name: string }) => one.name === name).id
    const correction = { from: 'Ben Bitdiddle', person_id: idOf('Cleo Smith') }
    expect((await user.patch(`/v1/sessions/${id}/speakers`, correction)).status).toBe(200)
    expect(await times()).toEqual([
      ['Ada Lovelace', '20 min'],
      ['Cleo Smith', '5 min'],
      ['Ben Bitdiddle', '4 min']
    ])
    expect((await user.post(`/v1/people/${idOf('Cleo Smith')}/merge`, { into: idOf('Ben Bitdiddle') })).status).toBe(
      200
    )
    expect(await times()).toEqual([
      ['Ada Lovelace', '20 min'],
      ['Ben Bitdiddle', '9 min']
    ])
    await user.delete(`/v1/sessions/${id}`)
    expect(await times()).toEqual([
      ['Ada Lovelace', '10 min'],
      ['Ben Bitdiddle', '4 min']
    ])
    await user.delete(`/v1/people/${idOf('Ada Lovelace')}`)
    expect(await times()).toEqual([['Ben Bitdiddle', '4 min']])
  })
})

describe('open action items', () => {
  test('are counted by their due date in the time zone of the user, with links to their lists', async () => {
    const { user, browser } = await signedIn()
    const due = (due_date?: string) => ({ text: `Send ${due_date}`, ...(due_date && { due_date }) })
    await user.session({
      action_items: [
        ...['2026-03-01', '2026-03-02', '2026-03-08', '2026-03-09', '2026-03-10'].map(due),
        due(),
        { text: 'Order', completed: true, due_date: '2026-03-01' }
      ]
    })
    const counts = async () => (await rowsOf(browser, 'by due date')).map(([, items]) => items)
    expect(await rowsOf(browser, 'by due date')).toEqual([
      ['Overdue', '1'],
      ['Today', '1'],
      ['In the next seven days', '1'],
      ['Later', '2'],
      ['Without a date', '1']
    ])
    const { body } = await browser.get(PATH)
    expect(body).toContain('href="/action-items?due_before=2026-03-02"')
    const later = await browser.get('/action-items?due_after=2026-03-09')
    expect([later.text.includes('Send 2026-03-09'), later.text.includes('Send undefined')]).toEqual([true, false])
    // There it is 3 March already.
    await updateUser(user.db, user.id, { timeZone: 'Pacific/Kiritimati' })
    expect(await counts()).toEqual(['2', '0', '2', '1', '1'])
  })

  test('are counted by assignee as an item spells them, in any case, and all but ten together', async () => {
    const { user, browser } = await signedIn()
    const items = (assignee: string | null, count: number) =>
      Array.from({ length: count }, (_, at) => ({ text: `Item ${at} of ${assignee}`, assignee }))
    const few = Array.from({ length: 10 }, (_, at) => `Few ${at}`)
    await user.session({
      action_items: [...items('Ben', 2), ...items(null, 3), ...few.flatMap(name => items(name, 1))]
    })
    await user.session({
      action_items: [
        { text: 'Call', assignee: 'BEN' },
        { text: 'Done', assignee: 'Ben', completed: true }
      ]
    })
    const rows = await rowsOf(browser, 'by assignee')
    expect([rows.length, rows.slice(0, 2).map(([name, count]) => [name?.toLowerCase(), count]), rows.at(-1)]).toEqual([
      11,
      [
        ['ben', '3'],
        ['nobody', '3']
      ],
      ['Everyone else', '2']
    ])
  })
})

describe('a library without sessions', () => {
  test('says what to do first, here and in the list, until something is uploaded', async () => {
    const { user, browser } = await signedIn()
    for (const page of [PATH, '/']) {
      const { status, body } = await browser.get(page)
      expect([page, status, body.includes('href="/upload"'), body.includes('href="/settings/tokens"')]).toEqual([
        page,
        200,
        true,
        true
      ])
      expect(body).toContain('There is nothing yet')
    }
    await acceptSession(user.id)
    const { text } = await browser.get(PATH)
    expect([text.includes('There is nothing yet'), text.includes('1 being processed')]).toEqual([false, true])
  })

  test('shows nothing of the library of another user', async () => {
    const { user } = await signedIn()
    await user.session({ action_items: [{ text: 'Send', assignee: 'OWNED' }] })
    const { browser } = await signedIn()
    const { body } = await browser.get(PATH)
    expect([body.includes('OWNED'), body.includes('There is nothing yet')]).toEqual([false, true])
  })
})

test('names are shown as text', async () => {
  const { user, browser } = await signedIn()
  const name = `"'><img src=x onerror=alert(1)>`
  await user.session({
    segments: [person(name, 0, 60)],
    speakers: [{ label: name, person: name }],
    action_items: [{ text: 'Send', assignee: name }]
  })
  const { body } = await browser.get(PATH)
  expect([body.includes('<img'), body.match(/&lt;img/g)?.length]).toEqual([false, 2])
})
