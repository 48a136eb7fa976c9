import { describe, expect, test } from 'vitest'
import { FOREIGN_SCRIPT, hiddenFields, newBrowser, signedIn } from '../../support/console.ts'
import { testServer } from '../../support/server.ts'
import { inviteTo, newSharer } from '../../support/sharing.ts'

const served = await testServer()
const EVIL = `"'><script>alert(1)</script>`

/** A user whose browser is signed in, and what they have by the API. */
async function withFoldersAndPeople() {
  const { user, browser } = await signedIn()
  const folders = async () => (await user.get('/v1/folders')).body.folders
  const people = async () => (await user.get('/v1/people')).body.people
  const addPerson = async (name: string) => String((await user.post('/v1/people', { name })).body.id)
  return { user, browser, folders, people, addPerson }
}

describe('the page of folders', () => {
  test('makes, renames, orders, pins, keeps and deletes a folder, which leads to its sessions', async () => {
    const { user, browser, folders } = await withFoldersAndPeople()
    expect((await browser.submit('/folders', '/folders', { name: 'Clients' })).to).toBe('/folders')
    const [{ id }] = await folders()
    const session = await user.session()
    await user.post(`/v1/sessions/${session}/folders/${id}`)
    const change = { name: 'Customers', order: '3', pinned: 'on', keep: 'on' }
    expect((await browser.submit('/folders', `/folders/${id}`, change)).to).toBe('/folders')
    expect(await folders()).toMatchObject([{ name: 'Customers', order: 3, pinned: true, keep: true }])
    const { body, text } = await browser.get('/folders')
    expect(body).toContain(`href="/?folder=${id}"`)
    expect(text).toContain('1 session, pinned, kept')
    await browser.submit('/folders', `/folders/${id}`, { name: 'Customers' })
    expect(await folders()).toMatchObject([{ pinned: false, keep: false, order: 3 }])
    expect((await browser.submit('/folders', `/folders/${id}/delete`)).to).toBe('/folders')
    expect(await folders()).toEqual([])
    expect((await user.get(`/v1/sessions/${session}`)).status).toBe(200)
  })

  test('shows the form again with what is wrong', async () => {
    const { browser, folders } = await withFoldersAndPeople()
    for (const name of ['One', 'Two']) await browser.submit('/folders', '/folders', { name })
    const [one] = await folders()
    const refused = [
      await browser.submit('/folders', '/folders', { name: ' ' }),
      await browser.submit('/folders', `/folders/${one.id}`, { name: 'two' }),
      await browser.submit('/folders', `/folders/${one.id}`, { name: 'One', order: '-1' })
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400])
    expect(refused[0]!.text).toContain('Name: Expected: a name of 1 to 100 characters')
    expect(refused[1]!.text).toContain('Name: another folder has this name')
    expect(refused[2]!.text).toContain('Order: Expected: a whole number')
    expect(await folders()).toMatchObject([{ name: 'One' }, { name: 'Two' }])
  })

  test('shows folders page by page', async () => {
    const { user, browser } = await withFoldersAndPeople()
    for (let at = 10; at < 65; at++) await user.post('/v1/folders', { name: `Folder ${at}` })
    const first = await browser.get('/folders')
    const [, more = ''] = /href="(\/folders\?cursor=[^"]*)"/.exec(first.body) ?? []
    const second = await browser.get(more)
    expect([first.text.includes('Folder 59'), first.text.includes('Folder 60')]).toEqual([true, false])
    expect([second.text.includes('Folder 59'), second.text.includes('Folder 64')]).toEqual([false, true])
  })
})

describe('the page of people', () => {
  test('finds people by a part of their name in any case, and leads to their sessions', async () => {
    const { browser, addPerson } = await withFoldersAndPeople()
    const [ada] = [await addPerson('Ada Lovelace'), await addPerson('Ben'), await addPerson('100% Äpfel')]
    const names = async (name: string) => {
      const { text } = await browser.get(`/people?${new URLSearchParams({ name })}`)
      return ['Ada Lovelace', 'Ben', '100% Äpfel'].filter(one => text.includes(one))
    }
    expect(await names('')).toHaveLength(3)
    expect(await names('LOVE')).toEqual(['Ada Lovelace'])
    expect(await names('0% ä')).toEqual(['100% Äpfel'])
    expect(await names('_')).toEqual([])
    expect((await browser.get('/people')).body).toContain(`href="/?person=${ada}"`)
  })

  test('shows people page by page, also those of a search', async () => {
    const { browser, addPerson } = await withFoldersAndPeople()
    for (let at = 10; at < 65; at++) await addPerson(`Person ${at}`)
    await addPerson('Somebody')
    const seen = new Set<string>()
    let next: string | undefined = '/people?name=person'
    for (let pages = 0; next; pages++) {
      expect(pages).toBeLessThan(2)
      const { body, text } = await browser.get(next)
      for (const [name] of text.matchAll(/Person \d\d/g)) seen.add(name)
      expect(text).not.toContain('Somebody')
      next = /href="(\/people\?[^"]*cursor=[^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen.size).toBe(55)
  })

  test('renames a person, marks one as the user, and deletes one', async () => {
    const { browser, people, addPerson } = await withFoldersAndPeople()
    const [ada, ben] = [await addPerson('Ada'), await addPerson('Ben')]
    expect((await browser.submit('/people', `/people/${ada}`, { name: 'Ada L.' })).to).toBe('/people')
    expect((await browser.submit('/people', `/people/${ada}/me`)).to).toBe('/people')
    expect(await people()).toMatchObject([{ id: ada, name: 'Ada L.', is_me: true }, { id: ben }])
    const second = await browser.submit('/people', `/people/${ben}/me`)
    expect([second.status, (await people())[0].id]).toEqual([400, ada])
    await browser.submit('/people', `/people/${ada}/me`)
    expect((await people()).map((one: { is_me: boolean }) => one.is_me)).toEqual([false, false])
    expect((await browser.submit('/people', `/people/${ben}`, { name: ' ' })).text).toContain('Name: Expected: a name')
    await browser.submit('/people', `/people/${ben}/delete`)
    expect(await people()).toMatchObject([{ id: ada }])
  })

  test('merges one person into another who is chosen on the next page', async () => {
    const { user, browser, people } = await withFoldersAndPeople()
    await user.session({
      speakers: [
        { label: 'Ada', person: 'Ada' },
        { label: 'Ben', person: 'A. Lovelace' }
      ]
    })
    const idOf = async (name: string) => (await people()).find((one: { name: string }) => one.name === name).id
    const [from, into] = [await idOf('A. Lovelace'), await idOf('Ada')]
    const choice = `/people?merge=${from}`
    expect((await browser.get('/people')).body).toContain(`href="${choice}"`)
    const { body, text } = await browser.get(choice)
    expect(text).toContain('Choose who A. Lovelace is')
    expect(body).not.toContain(`value="${from}"><button`)
    expect((await browser.submit(choice, `/people/${from}/merge`, { into })).to).toBe('/people')
    expect(await people()).toMatchObject([{ id: into, recording_count: 1 }])
    expect((await browser.get(choice)).status).toBe(404)
  })
})

describe('the rows and pages of people', () => {
  /** A user in whose sessions these people speak, each for a minute, in the sessions with their names. */
  async function withSpeakers(...sessions: string[][]) {
    const signed = await withFoldersAndPeople()
    for (const [at, names] of sessions.entries())
      await signed.user.session({
        title: `Talk ${at}`,
        timestamp: `2026-02-0${at + 1}T09:00:00Z`,
        segments: names.map((speaker, place) => ({
          speaker,
          start: place * 60,
          end: place * 60 + 60,
          text: `I am ${speaker}.`
        })),
        action_items: names.map(assignee => ({ text: `Owed by ${assignee} in ${at}`, assignee }))
      })
    const idOf = async (name: string) =>
      String((await signed.people()).find((one: { name: string }) => one.name === name)?.id)
    return { ...signed, idOf }
  }

  test('have the count, and for each person the sessions and the speaking time', async () => {
    const { browser, idOf } = await withSpeakers(['Ada Lovelace', 'Ben Bitdiddle'], ['Ada Lovelace'])
    const { body, text } = await browser.get('/people')
    expect(text).toContain('People 2')
    expect(body).toContain(`aria-label="2 sessions with Ada Lovelace">2</a>`)
    expect(body).toContain(`href="/people/${await idOf('Ada Lovelace')}"`)
    expect(text).toMatch(/Ada Lovelace .* 2 min .* Ben Bitdiddle .* 1 min/)
  })

  test('show what a person said, owes, and with whom they speak', async () => {
    const { user, browser, idOf } = await withSpeakers(
      ['Ada Lovelace', 'Ben Bitdiddle'],
      ['Ada Lovelace'],
      ['Ben Bitdiddle']
    )
    const ada = await idOf('Ada Lovelace')
    const { status, body, text } = await browser.get(`/people/${ada}`)
    expect([status, text]).toEqual([200, expect.stringContaining('2 conversations 2 min talk time 67 %')])
    expect(text).toContain('2 open items')
    expect(text).toContain('Most often with Person Part of the conversations BB Ben Bitdiddle 50 %')
    expect(['Talk 0', 'Talk 1', 'Talk 2'].map(title => text.includes(title))).toEqual([true, true, false])
    expect([text.includes('Owed by Ada Lovelace in 1'), text.includes('Owed by Ben')]).toEqual([true, false])
    for (const to of [`/?person=${ada}`, `/action-items?person=${ada}`, `/people?merge=${ada}`])
      expect(body).toContain(`href="${to}"`)
    await user.patch(`/v1/people/${ada}`, { name: 'Ada Byron' })
    expect((await browser.get(`/people/${ada}`)).text).toContain('Also “ Ada Lovelace ”')
  })

  test('ask who the names are that came with conversations, until each is confirmed', async () => {
    const { browser, people } = await withSpeakers(
      ['Ada Lovelace', 'Lovelace, Ada', 'Ben B.'],
      ['Cleo Smith', 'Ada Lovelace']
    )
    expect((await browser.get('/people')).text).toContain('Who are these 4 names?')
    const { body, text } = await browser.get('/people/names')
    expect(text).toContain('Who are these 4 names?')
    const fieldOf = (name: string) =>
      new RegExp(`<input name="(per_\\w+)" value="${name.replace('.', '\\.')}"`).exec(body)?.[1] ?? ''
    expect(body).toContain(`name="same" value="${fieldOf('Lovelace, Ada')}">Is <bdi>Ada Lovelace</bdi>`)
    const form = {
      ...Object.fromEntries(
        ['Ada Lovelace', 'Lovelace, Ada', 'Ben B.', 'Cleo Smith'].map(name => [fieldOf(name), name])
      ),
      [fieldOf('Lovelace, Ada')]: 'ada lovelace',
      [fieldOf('Ben B.')]: 'Ben Bitdiddle',
      me: fieldOf('Ben B.'),
      save: 'changed'
    }
    expect((await browser.submit('/people/names', '/people/names', form)).to).toBe('/people/names')
    const named = async () =>
      (await people())
        .map(({ name, is_me: isMe, recording_count: count }: Record<string, unknown>) => [name, isMe, count])
        .sort()
    expect(await named()).toEqual([
      ['Ada Lovelace', false, 2],
      ['Ben Bitdiddle', true, 1],
      ['Cleo Smith', false, 1]
    ])
    // The one into whom another was merged is confirmed by it.
    const { text: left } = await browser.get('/people/names')
    expect(left).toContain('Who is this name?')
    const rest = { [fieldOf('Cleo Smith')]: 'Cleo Smith', save: 'all' }
    expect((await browser.submit('/people/names', '/people/names', rest)).to).toBe('/people')
    expect((await browser.get('/people')).text).not.toContain('Who is this name?')
    expect((await browser.get('/people/names')).text).toContain('Every name is confirmed')
  })

  test('merge two names of one person by a click, and say which names could not be taken', async () => {
    const { browser, people, idOf } = await withSpeakers(['Ada Lovelace', 'A. Lovelace', 'Ben'], ['Ada Lovelace'])
    const [short, ben] = [await idOf('A. Lovelace'), await idOf('Ben')]
    await browser.submit('/people/names', '/people/names', { same: short, [short]: 'A. Lovelace' })
    expect((await people()).map(({ name }: { name: string }) => name).sort()).toEqual(['Ada Lovelace', 'Ben'])
    const refused = await browser.submit('/people/names', '/people/names', { [ben]: ' ', save: 'changed' })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('a name of 1 to')])
    expect((await people()).map(({ name }: { name: string }) => name)).toContain('Ben')
  })

  test('take another spelling of the same name', async () => {
    const { browser, people, idOf } = await withSpeakers(['ada lovelace', 'Ben'])
    const form = { [await idOf('ada lovelace')]: 'Ada Lovelace', [await idOf('Ben')]: 'Ben', save: 'all' }
    expect((await browser.submit('/people/names', '/people/names', form)).to).toBe('/people')
    expect((await people()).map(({ name }: { name: string }) => name).sort()).toEqual(['Ada Lovelace', 'Ben'])
  })

  test('are unknown to others, and show names as text', async () => {
    const { browser, idOf } = await withSpeakers([EVIL, 'Ben'])
    const id = await idOf(EVIL)
    const { browser: other } = await signedIn()
    expect((await other.get(`/people/${id}`)).status).toBe(404)
    for (const path of ['/people', '/people/names', `/people/${id}`])
      expect((await browser.get(path)).body).not.toMatch(FOREIGN_SCRIPT)
  })
})

describe.each(['/folders', '/people'])('the page %s', path => {
  const kind = path === '/folders' ? 'folder' : 'person'

  /** A user with one of these, and its forms. */
  async function withOne() {
    const { user, browser, addPerson, folders, people } = await withFoldersAndPeople()
    const id = kind === 'person' ? await addPerson(EVIL) : (await user.post('/v1/folders', { name: EVIL })).body.id
    return { browser, id: String(id), list: kind === 'person' ? people : folders }
  }

  test('escapes names', async () => {
    const { browser, id } = await withOne()
    const shown = [
      await browser.get(path),
      await browser.get(`/people?name=${encodeURIComponent(EVIL)}`),
      await browser.submit(path, `${path}/${id}`, { name: EVIL.repeat(10) }),
      ...(kind === 'person' ? [await browser.get(`/people?merge=${id}`)] : [])
    ]
    for (const { body } of shown) expect(body).not.toMatch(FOREIGN_SCRIPT)
  })

  test("has the same 404 for another's as for one that does not exist, and changes nothing", async () => {
    const [{ id, list }, { browser }] = [await withOne(), await withOne()]
    const send = (to: string) => browser.send(to, { _form: browser.formToken(to), name: 'Taken', into: 'me' })
    const unknown = `${id.slice(0, 4)}${'0'.repeat(26)}`
    for (const form of kind === 'person' ? ['', '/me', '/delete'] : ['', '/delete']) {
      const theirs = await send(`${path}/${id}${form}`)
      expect([theirs.status, theirs.text]).toEqual([404, (await send(`${path}/${unknown}${form}`)).text])
    }
    expect((await list()).map((one: { name: string }) => one.name)).toEqual([EVIL])
  })

  test('refuses a stranger, the guest of an invite, and a form of another session', async () => {
    expect((await newBrowser(served).get(path)).to).toBe(`/sign-in?next=${encodeURIComponent(path)}`)
    const owner = await newSharer()
    const invite = new URL(await inviteTo(owner, await owner.session(), `${crypto.randomUUID()}@example.com`)).pathname
    const guest = newBrowser(served)
    await guest.submit(invite, invite)
    expect((await guest.get(path)).status).toBe(403)
    const [{ browser, id, list }, { browser: other }] = [await withOne(), await withOne()]
    const foreign = hiddenFields((await other.get('/shared')).body, '/sign-out')
    expect((await browser.send(`${path}/${id}/delete`, foreign)).status).toBe(403)
    expect(await list()).toHaveLength(1)
  })
})
