import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { updateUser } from '../../../src/features/access/queries.ts'
import { summarizeOffline } from '../../../src/platform/ai/summarizer/summarize.ts'
import { plainAi } from '../../support/ai.ts'
import { completion, startAiServer } from '../../support/ai-server.ts'
import { hiddenFields, newBrowser, signedIn, signInAs, withoutTokens } from '../../support/console.ts'
import { minutes } from '../../support/minutes.ts'
import { providerAi } from '../../support/provider.ts'
import { record } from '../../support/recordings.ts'
import { acceptSession, buildTestApp, testServer } from '../../support/server.ts'
import type { User } from '../../support/sharing.ts'
import { newSharer } from '../../support/sharing.ts'

const served = await testServer()
const offline = plainAi({ summarize: async conversation => summarizeOffline(conversation) })

const SPOKEN = [
  { speaker: 'Ada', start: 0, end: 4, text: 'Welcome to the weekly review.' },
  { speaker: 'Ben', start: 1408.4, end: 1412, text: 'I will send the offers for the spring order on Friday.' }
]

const titlesIn = (body: string) =>
  [...body.matchAll(/<a class="t" dir="auto"[^>]*>([^<]*)<\/a>/g)].map(([, title]) => title)

describe('the list', () => {
  test('shows title, date, length, state, tags and folders of each session, newest first', async () => {
    const { user, browser } = await signedIn()
    await user.session({ title: 'Old', timestamp: '2026-01-01T09:00:00Z' })
    await user.session({
      title: 'New',
      timestamp: '2026-02-01T09:00:00Z',
      duration_seconds: 3_900,
      tags: ['a,b'],
      folders: ['Clients']
    })
    const waiting = await acceptSession(user.id, { title: 'Waiting', timestamp: '2026-02-02T09:00:00Z' })
    const { status, body, text } = await browser.get('/')
    expect([status, titlesIn(body)]).toEqual([200, ['Waiting', 'New', 'Old']])
    expect(text).toMatch(/February 2026.* Waiting Processing.* New .*1 h 5 min 1 Feb .*January 2026.* Old .* 1 Jan/)
    expect(body).toContain('aria-label="Import"')
    expect(body).toContain(`href="/s/${waiting}"`)
    expect(body).toContain('href="/?tag=a%5C%2Cb"')
    expect(text).toContain('Clients')
  })

  test('takes the filters of the API by the same names, and leads from each tag to its list', async () => {
    const { user, browser } = await signedIn()
    await user.session({
      title: 'One',
      tags: ['a,b'],
      folders: ['Clients'],
      type: 'meeting',
      timestamp: '2026-01-01T09:00:00Z'
    })
    await user.session({
      title: 'Two',
      speakers: [{ label: 'Ada', person: 'Ada Lovelace' }],
      tags: ['c'],
      timestamp: '2026-02-01T09:00:00Z'
    })
    const trashed = await user.session({ title: 'Three', timestamp: '2026-01-15T09:00:00Z' })
    await browser.submit(`/s/${trashed}`, `/s/${trashed}/trash`)
    const { body: people } = await user.get('/v1/people')
    const ada = people.people.find(({ name }: { name: string }) => name === 'Ada Lovelace')
    const filtered: [string, string[]][] = [
      ['', ['Two', 'One']],
      ['tag=a%5C%2Cb', ['One']],
      ['tag=c&tag=a%5C%2Cb&tag_mode=any', ['Two', 'One']],
      ['folder=clients', ['One']],
      ['type=meeting', ['One']],
      ['since=2026-01-10', ['Two']],
      ['cursor=2026-01-10', ['One']],
      ['until=2026-01-10', ['One']],
      ['title=TWO', ['Two']],
      ['status=deleted', ['Three']],
      ['status=failed', []],
      [`person=${ada.id}`, ['Two']],
      ['limit=1', ['Two']]
    ]
    for (const [query, titles] of filtered)
      expect([query, titlesIn((await browser.get(`/?${query}`)).body)]).toEqual([query, titles])
    expect((await browser.get('/?type=nothing')).status).toBe(400)
    expect((await browser.get('/?folder=nowhere')).status).toBe(404)
  })

  test('leads from a form with empty fields to the address that can be passed on', async () => {
    const { browser } = await signedIn()
    expect((await browser.get('/?type=&tag=c&status=&since=')).to).toBe('/?tag=c')
    expect((await browser.get('/search?q=')).to).toBe('/search')
  })

  test('has a month for each jump, the count, and a chip for each chosen filter that leads to the list without it', async () => {
    const { user, browser } = await signedIn()
    for (const [title, timestamp] of [
      ['Spring', '2021-03-10T09:00:00Z'],
      ['Autumn', '2025-10-02T09:00:00Z']
    ] as const)
      await user.session({ title, timestamp, type: 'phone' })
    const { body, text } = await browser.get('/')
    expect(text).toMatch(/Sessions 2 Select Select all All 2 Processing 0 Failed 0 Trash 0/)
    const [, march = ''] = /<a href="([^"]*)">March 2021<\/a>/.exec(body) ?? []
    const inMarch = await browser.get(march.replaceAll('&amp;', '&'))
    expect(titlesIn(inMarch.body)).toEqual(['Spring'])
    const filtered = await browser.get(`${march.replaceAll('&amp;', '&')}&type=phone`)
    const chips = [
      ...filtered.body.matchAll(
        /<a class="on" href="([^"]*)"><span class="hidden">Remove the filter<\/span> ?(.*?)<svg/g
      )
    ]
    expect(chips.map(([, to, words]) => [to, words!.replace(/<[^>]+>/g, '').trim()])).toEqual([
      [march, 'Type Phone call'],
      ['/?type=phone', 'March 2021']
    ])
  })

  test.each(['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
    'shows conversations at both ends of the calendar, and leads to their months, to a user in %s',
    async timeZone => {
      const { user, browser } = await signedIn()
      await updateUser(user.db, user.id, { timeZone })
      await user.session({ title: 'First', timestamp: '0001-01-01T00:00:00Z' })
      await user.session({ title: 'Last', timestamp: '9999-12-31T23:59:59Z' })
      const { status, body } = await browser.get('/')
      expect([status, titlesIn(body)]).toEqual([200, ['Last', 'First']])
      const months = [...body.matchAll(/<a href="([^"]*since=[^"]*)">/g)].map(([, to = '']) =>
        to.replaceAll('&amp;', '&')
      )
      // At the edge of a month, a conversation may be in the next one elsewhere.
      const found = await Promise.all(months.map(async to => titlesIn((await browser.get(to)).body)))
      expect([months.length, found[0]]).toEqual([2, ['Last']])
      for (const path of ['/overview', '/search?q=talk', '/action-items'])
        expect([path, (await browser.get(path)).status]).toEqual([path, 200])
    }
  )

  test('finds a person and a folder beyond the first of the menus', async () => {
    const { user, browser } = await signedIn()
    for (let at = 0; at < 22; at++)
      await user.session({
        title: `Talk ${at}`,
        folders: [`Folder ${at}`],
        speakers: [{ label: 'Ada', person: `Person ${at}` }]
      })
    const names = async (url: string, name: string) =>
      [
        ...(await browser.get(url)).body.matchAll(new RegExp(`<a href="/\\?${name}=[^"]*"><bdi>([^<]*)</bdi>`, 'g'))
      ].map(([, one]) => one)
    expect(await names('/', 'person')).toHaveLength(20)
    expect(await names('/?find_person=person+0', 'person')).toEqual(['Person 0'])
    expect(await names('/?find_folder=FOLDER+21', 'folder')).toEqual(['Folder 21'])
  })

  test('begins a row with the first words of the summary, and lists favourites only by a chip', async () => {
    const { user, browser } = await signedIn()
    await user.session({ title: 'One', summary: '## Overview\n\n- **Ada** chose [the offer](https://example.com).' })
    await user.session({ title: 'Two', summary: 'w'.repeat(400) })
    const id = await user.session({ title: 'Three', tags: ['t'] })
    await user.patch(`/v1/sessions/${id}`, { favorite: true })
    const { body } = await browser.get('/?tag=t')
    expect(body).toContain('href="/?tag=t&amp;favorite=true"')
    const all = (await browser.get('/')).body
    expect(all).toContain('<p class="sum" dir="auto">Ada chose the offer.</p>')
    expect(all).toMatch(/<p class="sum" dir="auto">w{159}…<\/p>/)
    const favourites = await browser.get('/?favorite=true')
    expect([titlesIn(favourites.body), favourites.body.includes('<a class="on" href="/">')]).toEqual([['Three'], true])
  })

  test('counts what is below a heading and in the whole list, unless another page goes on', async () => {
    const { user, browser } = await signedIn()
    for (const day of [1, 2, 3])
      await user.session({ timestamp: `2026-01-0${day}T09:00:00Z`, duration_seconds: 1_800, type: 'meeting' })
    expect((await browser.get('/?type=meeting')).text).toMatch(/Sessions 3 .*January 2026 3 conversations, 1 h 30 min /)
    expect((await browser.get('/?type=meeting&limit=2')).text).not.toMatch(/Sessions \d|conversations/)
  })

  test('marks favourites by a star, and returns to the row', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ title: 'Spring', tags: ['t'] })
    const marked = await browser.submit('/?tag=t', '/favourites', { star: id, back: 'tag=t' })
    expect(marked.to).toBe(`/?tag=t#${id}`)
    expect((await user.get(`/v1/sessions/${id}`)).body.favorite).toBe(true)
    expect((await browser.get('/')).body).toContain(`name="unstar" value="${id}" aria-pressed="true"`)
    await browser.submit('/', '/favourites', { unstar: id, back: '' })
    expect((await user.get(`/v1/sessions/${id}`)).body.favorite).toBe(false)
  })

  test('has a box for each session and buttons for all that are selected, and who speaks when', async () => {
    const { user, browser } = await signedIn()
    const ids = [await user.session({ title: 'One', segments: SPOKEN }), await user.session({ title: 'Two' })]
    const list = await browser.get('/?type=import')
    expect(list.body).toContain('href="/?type=import&amp;select=all">Select all</a>')
    expect((await browser.get('/?type=import&select=all')).body.match(/name="session"[^>]* checked>/g)).toHaveLength(2)
    expect(list.body).toMatch(/aria-label="Who spoke when"><path class="v\d"/)
    expect(list.body).toContain('role="img" aria-label="Ada, Ben"')
    for (const id of ids) expect(list.body).toContain(`type="checkbox" name="session" value="${id}"`)
    const hidden = hiddenFields(list.body, '/many')
    const sent = [...Object.entries(hidden), ...ids.map(id => ['session', id]), ['do', 'tag'], ['tag', 'spring']]
    const { to } = await browser.submit('/', '/many', Object.fromEntries(sent))
    expect(to).toBe('/?type=import')
    expect((await user.get(`/v1/sessions/${ids[1]}`)).body.tags).toEqual(['spring'])
    expect((await browser.get('/?status=deleted')).body).not.toContain('name="do" value="trash"')
  })

  test('pages by links that keep the filters', async () => {
    const { user, browser } = await signedIn()
    for (const day of [1, 2, 3])
      await user.session({ title: `Day ${day}`, tags: ['t'], timestamp: `2026-01-0${day}T09:00:00Z` })
    const { body } = await browser.get('/?tag=t&limit=2')
    const [, older = ''] = /<a href="([^"]*)">Older ones/.exec(body) ?? []
    const next = await browser.get(older.replaceAll('&amp;', '&'))
    expect([titlesIn(body), titlesIn(next.body)]).toEqual([['Day 3', 'Day 2'], ['Day 1']])
  })

  test('of nothing says how to import', async () => {
    const { browser } = await signedIn()
    const { body, text } = await browser.get('/')
    expect(body).toContain('href="/upload"')
    expect(text).toContain('curl -F file=@weekly.vtt')
    expect((await browser.get('/?tag=x')).text).toContain('No session matches')
  })
})

describe('search', () => {
  test('shows passages with marked words, and leads to their moments', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ title: 'Spring', segments: SPOKEN })
    const { body, text } = await browser.get('/search?q=offer+spring')
    expect(body).toContain(`<mark>offers</mark> for the <mark>spring</mark> order`)
    expect(body).toMatch(new RegExp(`href="/s/${id}#t=\\d+"`))
    expect(text).toContain('Ben')
    expect(text).not.toContain('No conversation has these words')
    expect((await browser.get('/search?q=zzzzzz')).status).toBe(200)
  })

  test('quotes the line that has a word under its speaker, and counts moments and conversations', async () => {
    const { user, browser } = await signedIn()
    await user.session({
      segments: [
        { speaker: 'Ada', start: 0, end: 4, text: 'Welcome to the weekly review.' },
        { speaker: 'Ben', start: 5, end: 9, text: 'The battery waits for a new part.' }
      ]
    })
    const { body, text } = await browser.get('/search?q=battery')
    expect(body).toContain(
      '<b><bdi>Ben</bdi></b> The <mark>battery</mark> waits for a new part.</span></a></li></ul></li>'
    )
    expect(text).toContain('1 moment in 1 conversation.')
  })

  test('says when what it found has no word of the query', async () => {
    const { user, browser } = await signedIn()
    await user.session({
      title: 'Review',
      segments: [{ speaker: 'Ben', start: 5, end: 9, text: 'The accumulator waits.' }]
    })
    const { text } = await browser.get('/search?q=battery')
    expect(text).toContain('No conversation has these words. These are the closest in meaning:')
    expect(text).toContain('The accumulator waits.')
  })

  test('keeps what has the words apart from what is close in meaning, and leaves out what is neither', async () => {
    const { user, browser } = await signedIn()
    const say = (title: string, text: string) =>
      user.session({ title, segments: [{ speaker: 'Ben', start: 5, end: 9, text }] })
    await say('Part', 'The battery waits for a new part.')
    await say('Cell', 'The accumulator is empty and must be charged.')
    await say('Garden', 'We plant roses and tulips in the morning.')
    const both = (await browser.get('/search?q=battery')).text
    expect(both).toMatch(/Part .*These have none of the words, and are the closest in meaning: .*Cell /)
    const none = await browser.get(`/search?q=${'z'.repeat(200)}`)
    expect([none.text.includes('Nothing was found'), none.body.includes('class="moment"')]).toEqual([true, false])
  })

  test('finds a session by its tag alone, although no line has the word', async () => {
    const { user, browser } = await signedIn()
    await user.session({ title: 'Garden', tags: ['zzzxqy'], segments: [{ speaker: 'Ben', text: 'We plant roses.' }] })
    const { text } = await browser.get('/search?q=zzzxqy')
    expect([text.includes('Garden'), text.includes('closest in meaning')]).toEqual([true, false])
  })

  test('has its filters as chips, of which a chosen one leads back and keeps the words', async () => {
    const { user, browser } = await signedIn()
    await user.session({ type: 'meeting', segments: SPOKEN })
    const { body } = await browser.get('/search?q=offer')
    expect(body).toContain('href="/search?q=offer&amp;type=meeting"')
    expect(body).not.toContain('name="title"')
    const chosen = await browser.get('/search?q=offer&type=meeting')
    expect(chosen.body).toContain('<a class="on" href="/search?q=offer"><span class="hidden">Remove the filter</span>')
    expect((await browser.get('/search?q=offer&type=phone')).text).toContain('Nothing was found')
  })
})

describe('the page of a session', () => {
  test('has an anchor for each moment, under its speaker', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ segments: SPOKEN, summary: '# Spring\n\n**Offers** <b>x</b>' })
    const { body, text } = await browser.get(`/s/${id}`)
    expect(body).toContain('<p id="t=1408" data-s="1408.4"><a href="#t=1408">23:28</a>')
    expect(body).toContain('<strong>Offers</strong> &lt;b&gt;x&lt;/b&gt;')
    expect(text).toMatch(/Ben 23:28 I will send the offers/)
  })

  test('plays the recording from a signed link of this server', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session()
    await record(user, id, 'audio', Buffer.from('RECORDED'))
    const [, source = ''] = /<audio [^>]*src="([^"]*)"/.exec((await browser.get(`/s/${id}`)).body) ?? []
    const { statusCode, body } = await served.app.inject(source.replaceAll('&amp;', '&'))
    expect([statusCode, body]).toEqual([200, 'RECORDED'])
  })

  test('has the strip, chapters and parts of the talk beside the recording, and offers each recording', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ segments: SPOKEN, duration_seconds: 2_000 })
    await record(user, id, 'audio', Buffer.from('RECORDED'))
    const { body, text } = await browser.get(`/s/${id}`)
    expect(body).toMatch(
      /<div class="wave"><svg class="strip" viewBox="0 0 690 20"[\s\S]*<input type="range" min="0" max="2000"/
    )
    expect(text).toMatch(/Ada 53 % Ben 47 % 0:00 \/ 33:20/)
    expect(body).toMatch(/<a href="\/v1\/media\/[^"]*" download>Recording<\/a>/)
    const linked = await user.session({
      media: { audio: 'https://media.example/a.mp3', video: 'https://media.example/a.mp4' }
    })
    const elsewhere = (await browser.get(`/s/${linked}`)).body
    for (const [ending, words] of [
      ['mp3', 'sound'],
      ['mp4', 'picture']
    ])
      expect(elsewhere).toContain(`<a href="https://media.example/a.${ending}" rel="noreferrer">Recording, ${words} `)
  })

  test('has the times at which the lines of the summary were said, where the server knows them', async () => {
    const { user, browser } = await signedIn()
    const segments = [
      { speaker: 'Ada', text: 'Welcome to the review of the warehouse project.', start: 0, end: 9 },
      {
        speaker: 'Ben',
        text: 'The warehouse in Porto costs 4,000 euros a month, because the heating is old.',
        start: 10,
        end: 19
      },
      {
        speaker: 'Ada',
        text: 'After the long talk of last week, we decided to close the warehouse in Porto.',
        start: 70,
        end: 79
      }
    ]
    const id = await user.session({ segments, language: 'en' }, offline)
    const { decisions } = (await user.get(`/v1/sessions/${id}/summary`)).body
    const { body, text } = await browser.get(`/s/${id}`)
    expect(text).toContain(decisions[0].text)
    expect(body).toContain('<a class="src" href="#t=70" aria-label="Said at 1:10">1:10</a>')
    const written = await browser.get(`/s/${await user.session({ segments, summary: 'Written **by hand**' })}`)
    expect(written.body).toContain('Written <strong>by hand</strong>')
    expect(written.body).not.toContain('class="src"')
  })

  test('says which statements of a provider the transcript does not have', async () => {
    const { user, browser } = await signedIn()
    const ai = await startAiServer()
    onTestFinished(() => ai.close())
    const point = { lines: [0], speaker: 'Ada', topic: 'Rent' }
    const points = ['Porto', 'Lisbon'].map(city => ({ ...point, text: `The rent in ${city} is 4,000 euros.` }))
    const answer = minutes({
      points,
      overview: 'The rent in Porto is 4,000 euros.',
      overview_lines: [0],
      title: 'Rent'
    })
    ai.script('chat', completion(answer))
    const segments = [{ speaker: 'Ada', text: 'The rent in Porto is 4,000 euros.', start: 0, end: 9 }]
    const { text } = await browser.get(`/s/${await user.session({ segments, language: 'en' }, providerAi(ai.url))}`)
    expect(text).toContain('The rent in Lisbon is 4,000 euros. 0:00 (not found in the transcript)')
    expect(text.match(/not found in the transcript/g)).toHaveLength(1)
  })

  test.each(['audio', 'video'] as const)('offers %s for download, under a name of its format', async kind => {
    const { user, browser } = await signedIn()
    const id = await user.session()
    await record(user, id, kind, Buffer.from('RECORDED'))
    const [, link = ''] =
      /<a href="([^"]*)" download>Download the recording/.exec((await browser.get(`/s/${id}`)).body) ?? []
    const { headers, body } = await served.app.inject(link.replaceAll('&amp;', '&'))
    expect([headers['content-disposition'], body]).toEqual([
      expect.stringMatching(/^inline; filename="recording\.\w+"$/),
      'RECORDED'
    ])
  })

  test('of 5,000 segments begins with the summary in at most 60 KB compressed, and has every line', async () => {
    const { user, browser } = await signedIn()
    const segments = Array.from({ length: 5_000 }, (_, at) => ({
      speaker: `Speaker ${Math.floor(at / 7) % 3}`,
      start: at * 7.2,
      end: at * 7.2 + 7,
      text: `Line ${at} of a long day with much to say about the order of spring`
    }))
    const id = await user.session({ segments, summary: 'All of it' })
    const { body } = await browser.get(`/s/${id}`)
    const [before = ''] = body.split('<h2 id="transcript" class="hidden">')
    expect(before).toContain('All of it')
    expect(gzipSync(before).length).toBeLessThan(60 * 1024)
    expect(body.match(/ data-s="/g)).toHaveLength(5_000)
    expect(body.trimEnd().endsWith('</html>')).toBe(true)
  })

  test('of a failed session has the reason, and a retry that clears it', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session()
    await user.db.execute(
      `update sessions set state = 'failed', failure = 'The call failed' where session_id = '${id}'`
    )
    expect((await browser.get(`/s/${id}`)).text).toContain('The call failed')
    await browser.submit(`/s/${id}`, `/s/${id}/retry`)
    expect((await browser.get(`/s/${id}`)).text).toContain('being processed')
  })

  test.each(['txt', 'md', 'srt', 'vtt'])('offers the transcript as .%s', async format => {
    const { user, browser } = await signedIn()
    const id = await user.session({ title: 'Größe "x"/\n', segments: SPOKEN })
    const { status, body, headers } = await browser.get(`/s/${id}/transcript.${format}`)
    expect([status, body.includes('offers')]).toEqual([200, true])
    expect(headers['content-disposition']).toContain(`filename*=UTF-8''Gr%C3%B6%C3%9Fe%20_x_`)
  })

  test('offers the session as .json', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ segments: SPOKEN })
    const { body, headers } = await browser.get(`/s/${id}/session.json`)
    expect(headers['content-type']).toContain('application/json')
    expect(JSON.parse(body).sessions[0].id).toBe(id)
  })
})

describe('the forms of a session', () => {
  const items = [{ text: 'Send the offer' }, { text: 'Call Cleo' }]

  async function read(user: User, id: string) {
    return (await user.get(`/v1/sessions/${id}`)).body
  }

  test('tick an item off, and show both versions if it was changed meanwhile', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ action_items: items })
    const [item] = (await read(user, id)).action_items
    const tick = `/s/${id}/items/${item.id}`
    const { to } = await browser.submit(`/s/${id}`, tick)
    expect([to, (await read(user, id)).action_items[0].completed]).toEqual([`/s/${id}#${item.id}`, true])
    const conflict = await browser.submit(`/s/${id}`, tick, { version: '0', completed: 'false' })
    expect([conflict.status, conflict.text.includes('Your version')]).toEqual([409, true])
    expect((await read(user, id)).action_items[0].completed).toBe(true)
  })

  test('save notes, and show both versions if they were changed meanwhile', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ notes: 'Old' })
    const notes = `/s/${id}/notes`
    expect((await browser.submit(`/s/${id}`, notes, { notes: 'One\r\ntwo' })).to).toBe(`/s/${id}#your-notes`)
    expect((await read(user, id)).notes).toBe('One\ntwo')
    const [, tag = ''] = /name="tag" value="([^"]*)"/.exec((await browser.get(`/s/${id}`)).body) ?? []
    await user.patch(`/v1/sessions/${id}`, { notes: 'Theirs' })
    const conflict = await browser.submit(`/s/${id}`, notes, { notes: 'Mine', tag })
    expect(conflict.status).toBe(409)
    expect([conflict.text.includes('Mine'), conflict.text.includes('Theirs')]).toEqual([true, true])
    expect((await read(user, id)).notes).toBe('Theirs')
  })

  test('save the longest notes that the API takes', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session()
    const longest = '𝔵'.repeat(LIMITS.notes)
    expect((await browser.submit(`/s/${id}`, `/s/${id}/notes`, { notes: longest })).status).toBe(303)
    expect((await read(user, id)).notes).toBe(longest)
    expect((await browser.submit(`/s/${id}`, `/s/${id}/notes`, { notes: `${longest}x` })).status).toBe(400)
  })

  test('save title and tags, and show both versions if they were changed meanwhile', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ title: 'Old' })
    const about = `/s/${id}/about`
    const [, tag = ''] = /name="tag" value="([^"]*)"/.exec((await browser.get(`/s/${id}`)).body) ?? []
    await browser.submit(`/s/${id}`, about, { title: 'New', tags: 'a\\,b, c,' })
    expect(await read(user, id)).toMatchObject({ title: 'New', tags: ['a,b', 'c'] })
    const conflict = await browser.submit(`/s/${id}`, about, { title: 'Mine', tags: '', tag })
    expect([conflict.status, conflict.body.includes('value="Mine"'), conflict.text.includes('New')]).toEqual([
      409,
      true,
      true
    ])
  })

  test('correct a speaker to a person, and to nobody', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ segments: SPOKEN })
    await browser.submit(`/s/${id}`, `/s/${id}/speakers`, { from: 'Ben', name: 'Cleo' })
    const { segments } = (await user.get(`/v1/sessions/${id}/transcript`)).body
    expect(segments[1].speaker).toBe('Cleo')
    await browser.submit(`/s/${id}`, `/s/${id}/speakers`, { from: 'Cleo', nobody: 'true' })
    const { segments: after } = (await user.get(`/v1/sessions/${id}/transcript`)).body
    expect(after[1].speaker).not.toBe('Cleo')
  })

  test('correct the speaker of one line, or of all that have the label, from the name above the line', async () => {
    const { user, browser } = await signedIn()
    const said = (speaker: string, start: number) => ({ speaker, start, end: start + 5, text: `Line at ${start}.` })
    const id = await user.session({ segments: [said('Ben', 0), said('Speaker 2', 10), said('Ben', 70)] })
    const speakers = async () =>
      (await user.get(`/v1/sessions/${id}/transcript`)).body.segments.map((one: { speaker: string }) => one.speaker)
    const page = (await browser.get(`/s/${id}`)).body
    expect(page).toContain('<a class="voice" data-i="B" href="?who=2">Ben</a>')
    const [one, voice] = [await browser.get(`/s/${id}?who=2`), await browser.get(`/s/${id}?who=1`)]
    expect([one.status, one.text.includes('1:10 Ben : Line at 70.')]).toEqual([200, true])
    // A voice without a name is one person throughout.
    expect([one.body.includes(' checked'), voice.body.includes(' checked')]).toEqual([false, true])
    expect((await browser.submit(`/s/${id}?who=2`, `/s/${id}/speakers`, { name: 'Cleo' })).to).toBe(`/s/${id}#t=70`)
    expect(await speakers()).toEqual(['Ben', 'Speaker 2', 'Cleo'])
    await browser.submit(`/s/${id}?who=0`, `/s/${id}/speakers`, { name: 'Dora', all: 'on' })
    expect(await speakers()).toEqual(['Dora', 'Speaker 2', 'Cleo'])
    expect((await browser.get(`/s/${id}?who=3`)).status).toBe(404)
    expect((await browser.get(`/s/${id}?who=x`)).status).toBe(200)
  })

  test('edit the summary in its place, and show both versions if it was changed meanwhile', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ summary: '# Old' })
    const [edit, summary] = [`/s/${id}?open=summary`, `/s/${id}/summary`]
    expect((await browser.get(`/s/${id}`)).body).toContain(`href="${edit}#summary">Edit the summary</a>`)
    const { body } = await browser.get(edit)
    expect(body).toMatch(/<textarea name="summary"[^>]*>\n# Old<\/textarea>/)
    const [, tag = ''] = /name="tag" value="([^"]*)"/.exec(body) ?? []
    expect((await browser.submit(edit, summary, { summary: 'One\r\ntwo' })).to).toBe(`/s/${id}#summary`)
    expect((await read(user, id)).summary).toBe('One\ntwo')
    const conflict = await browser.submit(edit, summary, { summary: 'Mine', tag })
    expect([conflict.status, conflict.text.includes('Mine'), conflict.text.includes('One two')]).toEqual([
      409,
      true,
      true
    ])
    expect((await browser.submit(edit, summary, { summary: ' ' })).status).toBe(400)
    expect((await browser.submit(edit, summary, { summary: 'x'.repeat(LIMITS.summary + 1) })).status).toBe(400)
    expect((await read(user, id)).summary).toBe('One\ntwo')
  })

  test('put a session into a folder and take it out', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session()
    const { body: folder } = await user.post('/v1/folders', { name: 'Clients' })
    await browser.submit(`/s/${id}`, `/s/${id}/folders`, { add: folder.id })
    expect((await read(user, id)).folder_ids).toEqual([folder.id])
    await browser.submit(`/s/${id}`, `/s/${id}/folders`, { remove: folder.id })
    expect((await read(user, id)).folder_ids).toEqual([])
  })

  test('keep a session and its recording from retention, and say for how long others are kept', async () => {
    const retention = { audio_days: 30, session_days: null }
    const app = await buildTestApp({ retention })
    const user = await newSharer()
    const browser = newBrowser({ app })
    await signInAs(browser, user.email)
    const id = await user.session()
    const page = async () => (await browser.get(`/s/${id}`)).text
    expect(await page()).toContain('Recordings are kept for 30 days.')
    expect((await browser.submit(`/s/${id}`, `/s/${id}/keep`)).to).toBe(`/s/${id}#keep`)
    expect((await read(user, id)).keep).toBe(true)
    expect(await page()).toContain('This conversation is kept for ever.')
    await browser.submit(`/s/${id}`, `/s/${id}/keep`)
    expect(await read(user, id)).not.toHaveProperty('keep')
    const { body: folder } = await user.post('/v1/folders', { name: 'Clients' })
    await user.patch(`/v1/folders/${folder.id}`, { keep: true })
    await user.post(`/v1/sessions/${id}/folders/${folder.id}`)
    expect(await page()).toContain('Kept for ever, like everything in Clients .')
  })

  test('move to the trash, restore, and delete for good after a confirmation', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session()
    const url = `/v1/sessions/${id}`
    await browser.submit(`/s/${id}`, `/s/${id}/trash`)
    expect([(await user.get(url)).status, (await browser.get(`/s/${id}`)).text.includes('in the trash')]).toEqual([
      404,
      true
    ])
    await browser.submit(`/s/${id}`, `/s/${id}/restore`)
    expect((await user.get(url)).status).toBe(200)
    await browser.submit(`/s/${id}`, `/s/${id}/trash`)
    const { to } = await browser.submit(`/s/${id}/delete`, `/s/${id}/delete`)
    expect([to, (await browser.get(`/s/${id}`)).status]).toEqual(['/', 404])
  })

  test('share by link and by invite, choose the parts, and end it', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session()
    const to = (action: string) => `/s/${id}/sharing/${action}`
    const sharing = async () => (await user.get(`/v1/sessions/${id}/sharing`)).body
    const made = await browser.submit(`/s/${id}`, to('link'))
    expect(made.body).toMatch(/value="http:\/\/parlance\.test\/join\/[\w-]+"/)
    await browser.submit(`/s/${id}`, to('parts'), { summary: 'true' })
    expect(
      (await browser.get(`/s/${id}`)).body.match(/<input type="checkbox" name="\w+" value="true" checked>/g)
    ).toHaveLength(1)
    const email = `${crypto.randomUUID()}@example.com`
    const invited = await browser.submit(`/s/${id}`, to('invites'), { emails: `${email}, nonsense` })
    expect(invited.text).toContain('is not an e-mail address')
    expect((await sharing()).pending_invites).toHaveLength(1)
    await browser.submit(`/s/${id}`, to('cancel'))
    expect((await sharing()).pending_invites).toEqual([])
    expect((await browser.submit(`/s/${id}`, to('reset'), { remove_everyone: 'true' })).status).toBe(200)
  })
})

describe('security', () => {
  test('a session of another user is the same 404 as one that does not exist, on every page and form', async () => {
    const { user } = await signedIn()
    const { browser } = await signedIn()
    const id = await user.session({ title: 'OWNED', action_items: [{ text: 'OWNED' }] })
    const tag = `s${'x'.repeat(27)}`
    const forms: [string, Record<string, string>][] = [
      ['items/ai_x', { version: '1', completed: 'true' }],
      ['about', { tag, title: 'x', tags: '' }],
      ['notes', { tag, notes: 'x' }],
      ['speakers', { from: 'Ada', name: 'x' }],
      ['folders', { add: 'fld_x' }],
      ['trash', {}],
      ['restore', {}],
      ['retry', {}],
      ['delete', {}],
      ['sharing/parts', {}],
      ['sharing/invites', { emails: 'a@example.com' }],
      ['sharing/link', {}],
      ['sharing/reset', {}],
      ['sharing/cancel', { email: 'a@example.com', invite_id: '' }],
      ['sharing/remove', { recipient_id: 'usr_x' }]
    ]
    const unknown = `ses_${'0'.repeat(26)}`
    const seen = async (session: string) => {
      const answers = []
      for (const page of ['', '/delete', '/transcript.txt', '/session.json'])
        answers.push(await browser.get(`/s/${session}${page}`))
      for (const [form, fields] of forms) {
        const path = `/s/${session}/${form}`
        answers.push(await browser.send(path, { _form: browser.formToken(path), ...fields }))
      }
      return answers.map(({ status, body }) => ({ status, body: withoutTokens(body).replaceAll(session, '') }))
    }
    const answers = await seen(id)
    expect(answers).toEqual(await seen(unknown))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
  })

  test('a form without its token changes nothing', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ title: 'Kept', notes: 'Kept' })
    const tag = `s${'x'.repeat(27)}`
    for (const form of ['trash', 'delete', 'sharing/link'])
      expect((await browser.send(`/s/${id}/${form}`)).status).toBe(403)
    expect((await browser.send(`/s/${id}/notes`, { notes: 'x', tag })).status).toBe(403)
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject({ title: 'Kept', notes: 'Kept' })
  })

  test('what is stored is shown as text, in every field', async () => {
    const { user, browser } = await signedIn()
    const canary = (name: string) => `"'><img src=x onerror=alert(1)>${name}</title></textarea></script>`
    const id = await user.session({
      title: canary('title'),
      notes: canary('notes'),
      tags: [canary('tag')],
      folders: [canary('folder')],
      platform: canary('platform'),
      summary: `${canary('summary')}\n\n[x](javascript:alert(1))`,
      action_items: [{ text: canary('item'), assignee: canary('assignee') }],
      segments: [{ speaker: canary('speaker'), start: 0, end: 1, text: canary('needle') }],
      media: { audio: 'https://media.example/"onerror="alert(1)' }
    })
    await user.post('/v1/folders', { name: canary('other') })
    for (const address of [
      '/',
      `/s/${id}`,
      '/search?q=needle',
      '/upload',
      `/s/${id}/delete`,
      `/search?q=${encodeURIComponent(canary('query'))}`
    ]) {
      const { status, body } = await browser.get(address)
      expect([address, status, /<img|javascript:|<\/script><|" ?onerror/i.test(body.replaceAll('&quot;', ''))]).toEqual(
        [address, 200, false]
      )
      expect(body).toContain('&lt;img')
    }
  })
})

describe('upload', () => {
  const FILE = 'WEBVTT\n\n00:00.000 --> 00:04.000\n<v Ada>Welcome to the weekly review.\n'

  function form(token: string, fields: Record<string, string>, name = 'weekly.vtt', text = FILE) {
    const boundary = 'x-boundary-x'
    const part = (head: string, value: string) =>
      `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${value}\r\n`
    const all = { _form: token, ...fields }
    const payload = [
      ...Object.entries(all).map(([field, value]) => part(`name="${field}"`, value)),
      part(`name="file"; filename="${name}"`, text),
      `--${boundary}--\r\n`
    ].join('')
    return { payload, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
  }

  async function post(browser: Awaited<ReturnType<typeof signedIn>>['browser'], sent: ReturnType<typeof form>) {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return await served.app.inject({
      method: 'POST',
      url: '/upload',
      payload: sent.payload,
      headers: { ...sent.headers, cookie, host: 'parlance.test' }
    })
  }

  async function tokenOf(browser: Awaited<ReturnType<typeof signedIn>>['browser']) {
    return hiddenFields((await browser.get('/upload')).body, '/upload')._form!
  }

  test('imports the file with the fields that are filled in, and leads to its session', async () => {
    const { user, browser } = await signedIn()
    const fields = { title: 'By form', type: '', timestamp: '2026-02-01T09:30', tag: 'a, b', folder: 'Clients' }
    const { statusCode, headers } = await post(browser, form(await tokenOf(browser), fields))
    expect(statusCode).toBe(303)
    const id = String(headers.location).slice(3)
    const { title, timestamp, tags, folder_ids: folders } = (await user.get(`/v1/sessions/${id}`)).body
    expect({ title, timestamp, tags, folders: folders.length }).toEqual({
      title: 'By form',
      timestamp: '2026-02-01T09:30:00.000Z',
      tags: ['a', 'b'],
      folders: 1
    })
    expect((await browser.get(`/s/${id}`)).text).toContain('being processed')
  })

  test('refuses a form without its token before the file is stored, and says what is wrong with a file', async () => {
    const { user, browser } = await signedIn()
    expect((await post(browser, form('', {}))).statusCode).toBe(403)
    expect((await post(newBrowser(served), form('', {}))).statusCode).toBe(403)
    expect((await user.get('/v1/sessions?status=all')).body.sessions).toEqual([])
    const refused = await post(browser, form(await tokenOf(browser), {}, '<img src=x>'))
    expect([refused.statusCode, refused.body.includes('<img')]).toEqual([400, false])
    const wrong = await post(browser, form(await tokenOf(browser), { type: 'nonsense' }))
    expect(wrong.statusCode).toBe(400)
  })
})

describe('the panel of speakers', () => {
  const segments = Array.from({ length: 120 }, (_, at) => ({
    speaker: `Voice ${at}`,
    start: at,
    end: at + 1,
    text: 'Yes.'
  }))
  const shown = (body: string) => [...body.matchAll(/name="from" value="([^"]*)"/g)].map(([, name]) => name)

  test('lists the first 50 speakers, and finds the others by a part of their name', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ segments })
    const whole = await browser.get(`/s/${id}`)
    expect(shown(whole.body)).toEqual(segments.slice(0, 50).map(({ speaker }) => speaker))
    expect(whole.text).toContain('The first 50 of 120 speakers')
    const found = await browser.get(`/s/${id}?open=speakers&speaker=voice+11`)
    const matching = ['Voice 11', ...Array.from({ length: 10 }, (_, at) => `Voice ${110 + at}`)]
    expect([shown(found.body), found.body.includes('<details class="panel" id="speakers" open>')]).toEqual([
      matching,
      true
    ])
    expect(found.text).toContain('11 of 120 speakers')
    expect(shown((await browser.get(`/s/${id}?open=speakers&speaker=nobody`)).body)).toEqual([])
  })

  test('has no search for a few speakers', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ segments: segments.slice(0, 50) })
    const { body } = await browser.get(`/s/${id}`)
    expect([shown(body).length, body.includes('Find a speaker')]).toEqual([50, false])
  })
})
