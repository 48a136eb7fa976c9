// @module-tag both
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import type { Quotas } from '../../../src/contract/quotas.ts'
import { everyScope } from '../../../src/features/access/actor.ts'
import { listJson } from '../../../src/features/exports/manifest.ts'
import { createZip } from '../../../src/features/exports/zip-writer.ts'
import type { LibraryEntry } from '../../../src/features/ingest/library/archived-session.ts'
import { openLibraryArchive } from '../../../src/features/ingest/library/import-library.ts'
import { openUploadBudget } from '../../../src/features/ingest/upload.ts'
import { DatabaseUnavailable } from '../../../src/platform/db/unavailable.ts'
import type { Actor } from '../../../src/platform/ports/actor.ts'
import { exportTo, filesOf, temporaryFolder } from '../../support/exports.ts'
import {
  buildTestApp,
  completeSession,
  NO_QUOTAS,
  newUser,
  newUserOf,
  testDatabase,
  testServices
} from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'

type User = Awaited<ReturnType<typeof newUser>>

const folder = temporaryFolder()

/** Imports an archive for a user, and completes its sessions. */
async function importFor(
  user: User,
  path: string,
  actor: Actor = everyScope(user.id, 'command'),
  quotas: Partial<Quotas> = {}
) {
  const entries: LibraryEntry[] = []
  const services = await testServices({ quotas: { ...NO_QUOTAS, ...quotas } })
  const library = await openLibraryArchive(services, actor, path)
  for await (const entry of library.entries()) {
    entries.push(entry)
    if ('imported' in entry && entry.imported.created) await completeSession(user.id, entry.imported.session.id)
  }
  return entries
}

/** An actor whose quotas count. */
function holderOf({ id }: User): Actor {
  return { ...everyScope(id, 'command'), via: 'token' }
}

function problemsOf(entries: LibraryEntry[]) {
  return entries.flatMap(entry => ('problem' in entry ? [`${entry.file}: ${entry.problem}`] : []))
}

/** Everything that the API shows of a library, without ids and times of this server. */
async function libraryOf(user: User) {
  const get = async (url: string) => {
    const { status, body } = await user.get(url)
    expect(`${status} ${url}`).toBe(`200 ${url}`)
    return body
  }
  const { folders } = await get('/v1/folders')
  const nameOf = new Map(folders.map(({ id, name }: { id: string; name: string }) => [id, name]))
  const { sessions } = await get('/v1/sessions?limit=100')
  const shown = []
  for (const { id } of sessions) {
    const { folder_ids, created_at: _, updated_at: __, id: ___, ...detail } = await get(`/v1/sessions/${id}`)
    const { id: ____, version: _v, ...transcript } = await get(`/v1/sessions/${id}/transcript`)
    const { id: _o, version: _w, ...original } = await get(`/v1/sessions/${id}/transcript?original=true`)
    const { id: _s, transcript_version: _t, ...summary } = await get(`/v1/sessions/${id}/summary`)
    shown.push({
      detail,
      folders: folder_ids.map((one: string) => nameOf.get(one)).toSorted(),
      transcript,
      original,
      summary
    })
  }
  const { people } = await get('/v1/people')
  const heard = []
  for (const { id, name } of people) {
    const { sessions } = await get(`/v1/people/${id}/sessions`)
    heard.push({ name, sessions: sessions.map(withoutIds) })
  }
  const { terms } = await get('/v1/terms')
  const { templates } = await get('/v1/summary-templates?limit=100')
  const shownTemplates = templates.map(({ default_for: defaults, ...template }: Template) => ({
    ...(template.built_in ? template : withoutIds(template)),
    default_for: { ...defaults, folders: defaults.folders.map(id => nameOf.get(id)) }
  }))
  return {
    sessions: shown,
    templates: shownTemplates,
    folders: folders.map(withoutIds),
    people: people.map(withoutIds),
    heard,
    terms: terms.map(withoutIds)
  }
}

/** What a session without its transcript can have. */
function withoutSpeech(detail: object) {
  return Object.fromEntries(
    Object.entries(detail).filter(([key]) => !['speakers', 'strip', 'talk', 'people'].includes(key))
  )
}

interface Template {
  built_in: boolean
  default_for: { folders: string[] }
}

const OF_SERVER = ['id', 'created_at', 'updated_at', 'last_opened_at']

function withoutIds(value: object): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      OF_SERVER.includes(key) ? [] : [[key, key === 'person' ? withoutIds(inner) : inner]]
    )
  )
}

/** A library with what people make by hand: corrections, merges, renamed speakers, changed items, looks of folders. */
async function newLibrary() {
  const user = await newUser()
  const done = async (answer: ReturnType<User['get']>) => {
    const { status, body } = await answer
    expect(status).toBeOneOf([200, 201])
    return body
  }
  const cleo = await done(user.post('/v1/people', { name: 'Cleo' }))
  const first = await user.session({
    title: 'Soil and water',
    timestamp: '2026-02-03T10:00:00Z',
    type: 'meeting',
    platform: 'zoom',
    language: 'en',
    notes: 'Call Ben.',
    tags: ['soil', 'water'],
    favorite: true,
    folders: ['Clients', 'Archive'],
    speakers: [{ label: 'Speaker 1', person: 'Ada Lovelace', matched_by: 'voice' }],
    segments: [
      { speaker: 'Speaker 1', start: 0, end: 4, text: 'We moved everything to par lance last week.' },
      { speaker: 'Speaker 2', start: 4, end: 9, text: "I'll send the offer to the client by Friday." },
      { speaker: 'Cleo', start: 9, end: 12, text: 'Good, then we are done with it.' }
    ]
  })
  await user.session({ title: 'Without times', segments: [{ speaker: 'Ada Lovelace', text: 'Just a note.' }] })
  await user.session({
    title: 'Call',
    type: 'phone',
    phone: { direction: 'outbound', to_number: '+49301234567', status: 'completed' },
    summary: '# Written by hand\n\n- one',
    action_items: [{ text: 'Call back', due_date: '2026-03-10', completed: true }]
  })
  const transcript = await done(user.get(`/v1/sessions/${first}/transcript`))
  await done(
    user.patch(
      `/v1/sessions/${first}/transcript`,
      { segments: [{ index: 2, text: 'Good, then we are done with all of it.' }] },
      { 'if-match': String(transcript.version) }
    )
  )
  await done(user.patch(`/v1/sessions/${first}/speakers`, { from: 'Speaker 2', name: 'Ben Franklin' }))
  const items = await done(user.get(`/v1/sessions/${first}/action-items`))
  const changed = items.action_items.map((item: object) => ({ ...item, completed: true }))
  await done(
    user.patch(`/v1/sessions/${first}`, {
      action_items: [...changed, { text: 'Added by hand', assignee: 'Ada Lovelace' }],
      keep: true
    })
  )
  const clients = await done(user.post('/v1/folders', { name: 'Clients' }))
  await done(
    user.patch(`/v1/folders/${clients.id}`, { color: '#336699', pinned: true, sort_order: 'title', keep: true })
  )
  await done(user.post('/v1/folders', { name: 'Empty' }))
  await done(user.post('/v1/people', { name: 'Dora', is_me: true }))
  const ada = await done(user.get('/v1/people'))
  const into = ada.people.find(({ name }: { name: string }) => name === 'Ada Lovelace').id
  await done(user.post(`/v1/people/${cleo.id}/merge`, { into }))
  const sections = [{ heading: 'Soil', content: 'What was said of it.' }, { heading: 'Decisions' }]
  await done(
    user.post('/v1/summary-templates', {
      name: 'Field trip',
      language: 'de',
      sections,
      default_for: { tags: ['soil'], folders: ['Clients'] }
    })
  )
  await done(
    user.patch('/v1/summary-templates/tpl_lecture', { default_for: { types: ['podcast'], folders: ['Empty'] } })
  )
  // Of a term that was never applied, the lines of before stay as they were.
  await done(user.post('/v1/terms', { heard: ['par lance', 'parlants'], meant: 'Parlance' }))
  return user
}

describe('the import of a library', () => {
  test('makes the same library in an empty one, field by field, and keeps the ids of sessions as external_id', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const path = await exportTo(folder, user)
    const entries = await importFor(other, path)
    expect(problemsOf(entries)).toEqual([])
    const before = await libraryOf(user)
    expect(before.sessions).toHaveLength(3)
    expect(before.sessions.some(({ original, transcript }) => original.transcript !== transcript.transcript)).toBe(true)
    expect(await libraryOf(other)).toEqual(before)
    const ids = (await user.get('/v1/sessions')).body.sessions.map(({ id }: { id: string }) => id)
    const kept = entries.flatMap(entry => ('imported' in entry ? [entry.imported.session.external_id] : []))
    expect(kept.toSorted()).toEqual(ids.toSorted())
  })

  test('changes nothing where the library is, and nothing the second time', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const path = await exportTo(folder, user)
    await importFor(other, path)
    for (const one of [user, other]) {
      const before = await libraryOf(one)
      const entries = await importFor(one, path)
      expect(entries.map(entry => 'imported' in entry && entry.imported.created)).toEqual([false, false, false])
      expect(await libraryOf(one)).toEqual(before)
    }
  })

  test('keeps a template of the same name and the defaults that are there, and names a folder that is missing', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const own = { name: 'field TRIP', sections: [{ heading: 'Mine' }], default_for: { types: ['podcast'] } }
    expect((await other.post('/v1/summary-templates', own)).status).toBe(201)
    const path = await exportTo(folder, user, { parts: ['transcripts', 'templates'] })
    // The folder Empty has no session, so that nothing has made it here.
    expect(problemsOf(await importFor(other, path))).toEqual([
      expect.stringMatching(/^templates\.json: templates\.json, entry 1: default_for\.folders\.0: /)
    ])
    const { templates } = (await other.get('/v1/summary-templates?limit=100')).body
    expect(templates.find(({ id }: { id: string }) => id === 'tpl_lecture').default_for.types).toEqual([])
    expect(templates.filter((template: Template) => !template.built_in)).toMatchObject([
      {
        name: 'field TRIP',
        sections: [{ heading: 'Mine' }],
        default_for: { types: ['podcast'], tags: [], folders: [] }
      }
    ])
  })

  test('takes an export without transcripts, with the summaries, notes, tags and items', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const path = await exportTo(folder, user, { parts: ['folders', 'people', 'terms', 'templates'] })
    // A session without a summary would have nothing to process.
    expect(problemsOf(await importFor(other, path))).toEqual([])
    const [before, after] = [await libraryOf(user), await libraryOf(other)]
    expect(after.sessions).toHaveLength(3)
    for (const [at, { detail, folders, summary }] of after.sessions.entries()) {
      const session = before.sessions[at]!
      expect({ detail: withoutSpeech(detail), folders }).toEqual({
        detail: withoutSpeech(session.detail),
        folders: session.folders
      })
      expect(summary.summary).toEqual(session.summary.summary)
    }
    expect(after.sessions.every(({ transcript }) => transcript.transcript.length === 0)).toBe(true)
    expect({ ...after, sessions: [], people: [], heard: [] }).toEqual({
      ...before,
      sessions: [],
      people: [],
      heard: []
    })
  })

  test('names a session that has nothing to process', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const empty = await repacked(await exportTo(folder, user, { parts: [] }), (name, content) =>
      name.includes('/call-') && name.endsWith('document.json')
        ? Buffer.from(JSON.stringify({ ...JSON.parse(String(content)), summary: null }))
        : content
    )
    expect(problemsOf(await importFor(other, empty))).toEqual([
      expect.stringMatching(/\/call-ses_\w+: it has neither a transcript nor a summary nor a recording$/)
    ])
  })

  test('names every share, and restores none', async () => {
    const [user, other] = [await newSharer(), await newUser()]
    const [first, second] = [await user.session({ title: 'One' }), await user.session({ title: 'Two' })]
    const emails = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com']
    expect((await user.post(`/v1/sessions/${first}/sharing/invites`, { emails })).status).toBe(200)
    expect((await user.post(`/v1/sessions/${second}/sharing/invites`, { emails: ['e@example.com'] })).status).toBe(200)
    const entries = await importFor(other, await exportTo(folder, user))
    expect(problemsOf(entries)).toEqual([])
    expect(entries.flatMap(entry => ('warning' in entry ? [entry] : []))).toEqual([
      {
        file: 'shares.json',
        warning: '2 sessions were shared; shares are not restored, so share again what others should read'
      },
      {
        file: 'shares.json',
        warning: `the session with the external id ${first} was shared with a@example.com (invited), b@example.com (invited), c@example.com (invited) and 1 more`
      },
      {
        file: 'shares.json',
        warning: `the session with the external id ${second} was shared with e@example.com (invited)`
      }
    ])
    const { sessions } = (await other.get('/v1/sessions')).body
    for (const { id } of sessions)
      expect((await other.get(`/v1/sessions/${id}/sharing`)).body).toMatchObject({ people: [], pending_invites: [] })
  })

  test('reads the lists of older archives, which have no line for each entry', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const path = await exportTo(folder, user)
    const terms = String((await filesOf(path)).get('terms.json'))
    expect(terms.split('\n')).toEqual(['[', expect.stringMatching(/^\{"id":.*\}$/), ']', ''])
    const older = await repacked(path, (name, content) =>
      /^\w+s\.json$/.test(name) ? Buffer.from(JSON.stringify(JSON.parse(String(content)), null, 1)) : content
    )
    expect(problemsOf(await importFor(other, older))).toEqual([])
    expect(await libraryOf(other)).toEqual(await libraryOf(user))
  })

  test('names the list that is no list, and the entry that is no object', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const wrong = await repacked(await exportTo(folder, user), (name, content) => {
      if (name === 'people.json') return Buffer.from('{"name":"Ada"}')
      if (name === 'templates.json') return Buffer.from(`[${' '.repeat(4 * 1024 ** 2)}]`)
      return name === 'terms.json' ? Buffer.from('[7]') : content
    })
    expect(problemsOf(await importFor(other, wrong))).toEqual([
      'people.json: Give a list of objects',
      'terms.json: terms.json, entry 1: Give an object',
      'templates.json: An entry, or a list that has no line for each entry, is longer than 4 MiB'
    ])
  })

  test('tries a session again while the database is away', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const path = await exportTo(folder, user)
    const services = await testServices()
    let away = 2
    const reader = {
      ...services.reader,
      async readFile(...asked: Parameters<typeof services.reader.readFile>) {
        if (away-- > 0) throw new DatabaseUnavailable('no_connection')
        return await services.reader.readFile(...asked)
      }
    }
    const library = await openLibraryArchive({ ...services, reader }, everyScope(other.id, 'command'), path)
    const created = []
    for await (const entry of library.entries()) created.push('imported' in entry && entry.imported.created)
    expect(created).toEqual([true, true, true])
    expect(away).toBeLessThan(0)
  })

  test('goes on with the other sessions where one is damaged', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const path = await exportTo(folder, user)
    const broken = await repacked(path, (name, content) =>
      name.includes('soil-and-water') && name.endsWith('document.json') ? Buffer.from('{') : content
    )
    const entries = await importFor(other, broken)
    expect(problemsOf(entries)).toEqual([
      expect.stringMatching(/^sessions\/2026-02\/2026-02-03-soil-and-water-ses_\w+: .*The file is not valid JSON/)
    ])
    expect((await other.get('/v1/sessions')).body.sessions).toHaveLength(2)
  })

  test.each([
    ['"keep":false', '"keep":"yes"', ': keep', 2],
    [/"action_items_version":\d+/, '"action_items_version":2147483647', ': action_items_version', 3],
    [/"source_start":null/g, '"source_start":1e300', '.source_start: ', 2],
    ['"input_tokens":null', '"input_tokens":1e12', ': summary_made.input_tokens', 2],
    [/"action_items":\[(\{.*?\})/, '"action_items":[$1,$1', ': action_items: give each action item once', 2],
    ['"keep":false', '"keep":false,"__proto__":[]', '__proto__', 2]
  ] as const)('takes no state that it would not have written, such as %s as %s', async (from, to, field, count) => {
    const [user, other] = [await newLibrary(), await newUser()]
    const wrong = await repacked(await exportTo(folder, user), (name, content) =>
      name.endsWith('state.json') ? Buffer.from(String(content).replace(from, to)) : content
    )
    expect(problemsOf(await importFor(other, wrong))).toEqual(Array(count).fill(expect.stringContaining(field)))
  })

  test('takes no state with more values or bytes than any has', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const path = await exportTo(folder, user)
    for (const [rest, problem] of [
      [`[${'0,'.repeat(50_000)}0]`, ': The body has more than 50000 values; send fewer'],
      [`"${'x'.repeat(4 * 1024 ** 2)}"`, ': state.json is larger than 4 MiB']
    ] as const) {
      const large = await repacked(path, (name, content) =>
        name.endsWith('state.json') ? Buffer.from(String(content).replace('{', `{"rest":${rest},`)) : content
      )
      expect(problemsOf(await importFor(other, large))).toEqual(Array(3).fill(expect.stringContaining(problem)))
    }
  })

  test('says what a token without the scopes of lists could not import', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const scopes = new Set(['sessions:create', 'sessions:read', 'folders:write'] as const)
    const actor = { userId: other.id, scopes, via: 'token' as const }
    expect(problemsOf(await importFor(other, await exportTo(folder, user), actor))).toEqual([
      'people.json: people.json, entry 1: The token lacks the scope people:write',
      'terms.json: terms.json, entry 1: The token lacks the scope transcripts:write',
      'templates.json: templates.json, entry 1: The token lacks the scope sessions:write'
    ])
  })

  test('refuses a cut archive, one that is no library, and a name that leads out of it, and changes nothing', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const path = await exportTo(folder, user)
    const whole = await readFile(path)
    const cut = join(folder, 'cut.zip')
    await writeFile(cut, whole.subarray(0, whole.length - 100))
    const climbing = await repacked(path, undefined, ['../../outside.txt'])
    const foreign = await zipOf([['readme.txt', Buffer.from('Hello')]])
    for (const [refused, message] of [
      [cut, 'The file is no zip archive, or it did not arrive whole.'],
      [climbing, 'The archive has a file whose name leads out of it.'],
      [foreign, 'The zip archive is no export of a Parlance library, or its manifest is damaged']
    ] as const)
      await expect(importFor(other, refused)).rejects.toMatchObject({ field: 'file', problem: message })
    expect(await libraryOf(other)).toMatchObject({ sessions: [], folders: [], people: [], terms: [] })
  })

  test('refuses an archive that unpacks to far more than its size before anything is imported', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const bytes = await readFile(await exportTo(folder, user))
    // The uncompressed size in the first record of the central directory.
    bytes.writeUInt32LE(0xfffffff0, bytes.indexOf(Buffer.from('PK\x01\x02')) + 24)
    const bomb = join(folder, 'bomb.zip')
    await writeFile(bomb, bytes)
    await expect(importFor(other, bomb)).rejects.toMatchObject({
      field: 'file',
      problem: 'The archive unpacks to far more than its size, as no library does'
    })
    expect(await libraryOf(other)).toMatchObject({ sessions: [], folders: [] })
  })

  test('ends a list where a quota is used up, and says that the rest is left out', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const names = Array.from({ length: 9 }, (_, at) => ({ name: `Folder ${at}` }))
    const full = await repacked(await exportTo(folder, user), (name, content) =>
      name === 'folders.json' ? Buffer.from(listJson(names)) : content
    )
    const problems = problemsOf(await importFor(other, full, holderOf(other), { folders: 4 }))
    expect(problems.filter(problem => problem.startsWith('folders'))).toEqual([
      expect.stringMatching(/^folders\.json: folders\.json, entry 5: name: your quota of folders is 4/),
      'folders.json: folders.json: the entries after entry 5 are left out'
    ])
  })

  test('stops where the quota of a day is used up, says when to go on, and goes on then', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const path = await exportTo(folder, user)
    const isNew = (entries: LibraryEntry[]) =>
      entries.map(entry => ('imported' in entry ? entry.imported.created : 'problem' in entry && entry.problem))
    const stopped = expect.stringMatching(
      /^your quota of sessions a day is \d, and \d are used; the next day begins at 00:00 UTC\. The import ended here: import the same archive again after 00:00 UTC, and it goes on with this session$/i
    )
    const holder = holderOf(other)
    expect(isNew(await importFor(other, path, holder, { sessions_per_day: 1 }))).toEqual([true, stopped])
    expect(isNew(await importFor(other, path, holder, { sessions_per_day: 1 }))).toEqual([false, stopped])
    expect(isNew(await importFor(other, path, holder, { sessions_per_day: 9 }))).toEqual([false, true, true])
    expect(await libraryOf(other)).toEqual(await libraryOf(user))
  })

  test('goes on with the other sessions where one has no room for its transcript', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const path = await exportTo(folder, user)
    const problems = problemsOf(await importFor(other, path, holderOf(other), { bytes_stored: 1, sessions_per_day: 9 }))
    expect(problems).toEqual(
      Array(3).fill(expect.stringMatching(/: your quota of bytes [^.]* delete some sessions for good$/))
    )
  })

  test('unpacks no file that is larger than a document may be', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const bomb = await repacked(await exportTo(folder, user), (name, content) =>
      name.endsWith('document.json') ? Buffer.alloc(17 * 1024 ** 2, 0x20) : content
    )
    expect(problemsOf(await importFor(other, bomb))).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining(': document.json is larger than 16 MiB'))
    )
  })
})

describe('POST /v1/sessions/upload', () => {
  const send = async (user: User, path: string, query = '') =>
    await user.ask('POST', `/v1/sessions/upload?file=library.zip${query}`, {
      body: await readFile(path),
      headers: { 'content-type': 'application/octet-stream' }
    })
  const nothing = {
    sessions_added: 0,
    sessions_existing: 0,
    problem_count: 0,
    problems: [],
    warning_count: 0,
    warnings: []
  }

  test('imports a library, and says how much of it is new', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const path = await exportTo(folder, user)
    expect(await send(other, path)).toMatchObject({ status: 200, body: { ...nothing, sessions_added: 3 } })
    expect(await send(other, path)).toMatchObject({ status: 200, body: { ...nothing, sessions_existing: 3 } })
  })

  test('answers at once, with a line break for each session, before the numbers', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const bytes = await readFile(await exportTo(folder, user))
    const answer = await other.app.inject({
      method: 'POST',
      url: '/v1/sessions/upload?file=library.zip',
      headers: { authorization: `Bearer ${other.token}`, 'content-type': 'application/octet-stream' },
      payload: bytes
    })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      location: '/v1/sessions',
      'x-accel-buffering': 'no'
    })
    expect(answer.body).toMatch(/^ \n\n\n\{/)
    expect(answer.json()).toEqual({ ...nothing, sessions_added: 3 })
  })

  test('ends its problems with the used-up quota of the day, however many there are', async () => {
    const quotas = { ...NO_QUOTAS, sessions_per_day: 1 }
    const { db } = await testDatabase()
    const [user, other] = [await newLibrary(), await newUserOf({ db, app: await buildTestApp({ quotas }) })]
    const path = await repacked(await exportTo(folder, user), (name, content) =>
      name === 'people.json' ? Buffer.from(listJson(Array(150).fill({ name: 7 }))) : content
    )
    const { body } = await send(other, path)
    expect(body).toMatchObject({ sessions_added: 1, problem_count: 151 })
    expect(body.problems).toHaveLength(LIMITS.exports.problems)
    expect(body.problems.at(-1)).toMatch(/^sessions\/.*your quota of sessions a day is 1, .*again after 00:00 UTC/)
  })

  test('says what is not as it was in single sessions', async () => {
    const [user, other] = [await newLibrary(), await newUser()]
    const path = await exportTo(folder, user)
    await send(other, path)
    const changed = await repacked(path, (name, content) =>
      name.includes('/call-') && name.endsWith('document.json')
        ? Buffer.from(JSON.stringify({ ...JSON.parse(String(content)), title: 'Another', unknown: 1 }))
        : content
    )
    expect((await send(other, changed)).body).toEqual({
      ...nothing,
      sessions_existing: 3,
      warning_count: 2,
      warnings: [
        expect.stringMatching(/^sessions\/undated\/call-ses_\w+: unknown: ignored/),
        expect.stringMatching(/^sessions\/undated\/call-ses_\w+: title: ignored, because the conversation was imported/)
      ]
    })
  })

  test('refuses a zip archive that is no library, and fields for a whole library', async () => {
    const user = await newUser()
    const foreign = await zipOf([['readme.txt', Buffer.from('Hello')]])
    expect(await send(user, foreign)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('The zip archive is no export of a Parlance library') } }
    })
    expect(await send(user, foreign, '&title=All')).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('a library is imported as it is') } }
    })
  })

  test('imports a library that has arrived in parts in the place of an upload, and removes the upload', async () => {
    const openUploads = openUploadBudget()
    const { db } = await testDatabase()
    const [user, other] = [await newLibrary(), await newUserOf({ db, app: await buildTestApp({ openUploads }) })]
    const bytes = await readFile(await exportTo(folder, user))
    const tus = { 'tus-resumable': '1.0.0' }
    const name = Buffer.from('library.zip').toString('base64')
    const { headers } = await other.ask('POST', '/v1/uploads', {
      headers: { ...tus, 'upload-length': String(bytes.length), 'upload-metadata': `filename ${name}` }
    })
    const id = String(headers.location).split('/').at(-1)
    const sent = await other.ask('PATCH', `/v1/uploads/${id}`, {
      body: bytes,
      headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
    })
    expect(sent.status).toBe(204)
    expect(await other.post(`/v1/sessions/upload?upload=${id}&title=All`)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('a library is imported as it is') } }
    })
    const places = openUploads(other.id, LIMITS.openUploads.perOwner)
    expect(await other.post(`/v1/sessions/upload?upload=${id}`)).toMatchObject({
      status: 503,
      body: { error: { message: 'Too many uploads are arriving at once; try again' } }
    })
    places[Symbol.dispose]()
    expect(await other.post(`/v1/sessions/upload?upload=${id}`)).toMatchObject({
      status: 200,
      body: { ...nothing, sessions_added: 3 }
    })
    expect(await other.post(`/v1/sessions/upload?upload=${id}`)).toMatchObject({ status: 404 })
    expect(() => openUploads(other.id, LIMITS.openUploads.perOwner)).not.toThrow()
  })
})

/** A copy of an archive with other contents and more files. */
async function repacked(path: string, change = (_name: string, content: Buffer) => content, more: string[] = []) {
  const files = await filesOf(path)
  return await zipOf([
    ...[...files].map(([name, content]): [string, Buffer] => [name, change(name, content)]),
    ...more.map((name): [string, Buffer] => [name, Buffer.from('more')])
  ])
}

async function zipOf(files: [string, Buffer][]) {
  await using zip = await createZip(await mkdtemp(join(folder, 'zip-')), new Date('2026-03-02T10:00:00Z'))
  for (const [name, content] of files) await zip.add(name, content)
  await zip.finish()
  return zip.path
}
