// @module-tag postgres

import { describe, expect, onTestFinished, test } from 'vitest'
import { UNLIMITED } from '../faults/load.ts'
import { goodMinutes, startAiServer } from '../support/ai-server.ts'
import { command, commandJson } from '../support/command.ts'
import {
  type Environment,
  endOf,
  fileIn,
  heldDatabase,
  jsonLines,
  migratedDatabase,
  newOwner,
  type Place,
  rowsOf,
  runJson,
  serve,
  start,
  temporaryFolder,
  until
} from '../support/process.ts'
import { sound } from '../support/sound.ts'

const SLOW = { timeout: 300_000 }
/** For a test that proves nothing of the database. */
const ONCE = { ...SLOW, tags: ['postgres'] }
const SESSION = expect.stringMatching(/^ses_[0-9a-z]{26}$/)
const VTT = 'WEBVTT\n\n00:00.000 --> 00:02.000\n<v Ada>Welcome to the review.\n'
const document = (fields: object) =>
  JSON.stringify({ segments: [{ speaker: 'Ada', start: 0, end: 2, text: 'Hello.' }], ...fields })

describe('import', () => {
  test('imports valid files, and names each invalid file or line with the reason', ONCE, async () => {
    const place = await heldDatabase()
    const owner = await newOwner(place)
    const folder = temporaryFolder()
    const good = fileIn(folder, 'good.vtt', VTT)
    const broken = fileIn(folder, 'broken.json', '{"segments": [')
    const missing = `${folder}/missing.txt`
    const empty = fileIn(folder, 'empty.srt', '')
    const recording = fileIn(folder, 'talk.mp3', sound('talk'))
    const lines = fileIn(
      folder,
      'lines.jsonl',
      `${document({ title: 'one' })}\n{"title":\n\n${document({ title: 'four' })}\n`
    )
    const last = fileIn(folder, 'last.txt', 'Ada: Goodbye.')
    const files = [good, broken, missing, empty, recording, folder, lines, last]

    const { code, stdout, stderr } = await command(place, 'import', '--user', owner.email, '--json', ...files)
    expect(code).toBe(1)
    const taken = { session_id: SESSION, status: 'processing' }
    const failed = { session_id: null, status: 'failed', reason: expect.any(String) }
    expect(jsonLines(stdout)).toEqual([
      { file: good, ...taken },
      { file: broken, ...failed },
      { file: missing, ...failed },
      { file: empty, ...failed },
      { file: recording, ...failed },
      { file: folder, ...failed },
      { file: `${lines}:1`, ...taken },
      { file: expect.stringMatching(/lines\.jsonl(:2)?$/), ...failed },
      { file: `${lines}:4`, ...taken },
      { file: last, ...taken }
    ])
    const said = stderr.trimEnd().split('\n')
    expect(said).toHaveLength(6)
    expect(said.map(line => line.slice(0, line.indexOf(': ')))).toEqual([
      broken,
      missing,
      empty,
      recording,
      folder,
      expect.stringContaining(lines)
    ])
    expect(said[1]).toBe(`${missing}: There is no such file.`)
    expect(said[5]).toContain('Line 2')
    expect(await rowsOf(place, 'select count(*)::int as n from sessions')).toEqual([{ n: 4 }])
  })

  test('finds sessions that it has imported before and changes nothing', SLOW, async () => {
    const { place } = await placeWithProvider(0, heldDatabase)
    const owner = await newOwner(place)
    const folder = temporaryFolder()
    const vtt = fileIn(folder, 'talk.vtt', VTT)
    const lines = fileIn(
      folder,
      'lines.jsonl',
      `${document({ external_id: 'zoom-1', title: 'First' })}\n${document({ title: 'Second' })}\n`
    )
    const first = await commandJson(place, 'import', '--user', owner.email, '--wait', vtt, lines)
    expect(first.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
    const before = await contentOf(place)

    const moved = fileIn(folder, 'same-words-other-name.vtt', VTT)
    const changed = fileIn(
      folder,
      'changed.json',
      document({ external_id: 'zoom-1', title: 'Other', tags: ['new'], notes: 'New' })
    )
    const again = await commandJson(
      place,
      'import',
      '--user',
      owner.email,
      '--wait',
      '--tag',
      'late',
      '--folder',
      'Late',
      moved,
      lines,
      changed
    )
    const ignored = (...fields: string[]) =>
      fields.map(field => `${field}: ignored, because the conversation was imported before`)
    expect(again.map(({ warnings }) => warnings)).toEqual([
      ...[0, 1, 2].map(() => ignored('tags', 'folders')),
      ignored('title', 'tags', 'folders')
    ])
    expect(again.map(({ session_id, status }) => ({ session_id, status }))).toEqual(
      [0, 1, 2, 1].map(index => ({ session_id: first[index]?.session_id, status: 'existing' }))
    )
    expect(await contentOf(place)).toEqual(before)
  })

  test('ends with what was refused and a total, below what was accepted and what was ignored', ONCE, async () => {
    const place = await heldDatabase()
    const owner = await newOwner(place)
    const folder = temporaryFolder()
    const [empty, odd, good] = [
      fileIn(folder, 'empty.srt', ''),
      fileIn(folder, 'odd.json', document({ titel: 'x' })),
      fileIn(folder, 'good.vtt', VTT)
    ]
    const { code, stdout, stderr } = await command(place, 'import', '--user', owner.email, empty, odd, good)
    expect([code, stdout.split('\n').filter(line => line.startsWith('processing'))]).toEqual([
      1,
      [expect.stringContaining(odd), expect.stringContaining(good)]
    ])
    expect(stderr.trimEnd().split('\n')).toEqual([
      `${odd}: titel: ignored, because an import document has no such key`,
      `${empty}: The file is empty.`,
      '3 conversations: 2 being processed, 1 refused or failed'
    ])
  })

  test('says on standard error which keys of a document it ignores, and succeeds', ONCE, async () => {
    const place = await heldDatabase()
    const owner = await newOwner(place)
    const [file, lines] = [
      fileIn(temporaryFolder(), 'a.json', document({ titel: 'x' })),
      fileIn(temporaryFolder(), 'b.jsonl', document({ tag: [] }))
    ]
    const { code, stdout, stderr } = await command(place, 'import', '--user', owner.email, '--json', file, lines)
    const ignored = (key: string) => `${key}: ignored, because an import document has no such key`
    expect([code, stderr]).toEqual([0, `${file}: ${ignored('titel')}\n${lines}:1: ${ignored('tag')}\n`])
    expect(jsonLines(stdout).map(({ warnings }) => warnings)).toEqual([[ignored('titel')], [ignored('tag')]])
  })

  test('finds no session of another user', ONCE, async () => {
    const place = await heldDatabase()
    const [ada, ben] = [await newOwner(place), await newOwner(place)]
    const file = fileIn(temporaryFolder(), 'talk.json', document({ external_id: 'zoom-1' }))
    const [first] = await commandJson(place, 'import', '--user', ada.email, file)
    const [second] = await commandJson(place, 'import', '--user', ben.email, file)
    expect(second).toEqual({ file, session_id: SESSION, status: 'processing' })
    expect(second?.session_id).not.toBe(first?.session_id)
  })

  test('imports a conversation once for several commands at once', SLOW, async () => {
    const place = await migratedDatabase()
    await serve(place)
    const owner = await newOwner(place)
    const file = fileIn(temporaryFolder(), 'talk.json', document({ external_id: 'zoom-1', folders: ['Clients'] }))
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () => runJson(place, 'import', '--user', owner.email, file))
    )
    expect(outcomes.map(([line]) => line?.status).sort()).toEqual(['existing', 'existing', 'existing', 'processing'])
    expect(new Set(outcomes.map(([line]) => line?.session_id)).size).toBe(1)
  })

  test('with --wait processes the sessions itself if no server runs', SLOW, async () => {
    const place = await migratedDatabase()
    const owner = await newOwner(place)
    const files = transcripts(3)
    const waited = await runJson(place, 'import', '--user', owner.email, '--wait', ...files)
    expect(waited).toEqual(files.map(file => ({ file, session_id: SESSION, status: 'completed' })))
    await eachCompletedOnce(place, owner.id, 3)
  })

  test('with --wait ends when a running server has processed everything', SLOW, async () => {
    const { place } = await placeWithProvider()
    const server = await serve(place)
    const owner = await newOwner(place)
    const files = transcripts(3)
    const waited = await commandJson(place, 'import', '--user', owner.email, '--wait', ...files)
    expect(waited).toEqual(files.map(file => ({ file, session_id: SESSION, status: 'completed' })))
    await eachCompletedOnce(place, owner.id, 3)
    expect(await server.get('/v1/account', owner.token)).toMatchObject({ body: { session_count: 3 } })
  })

  test('without --wait leaves the processing to the server, even from before its start', SLOW, async () => {
    const place = await migratedDatabase()
    const owner = await newOwner(place)
    const accepted = await commandJson(place, 'import', '--user', owner.email, ...transcripts(2))
    expect(accepted.map(({ status }) => status)).toEqual(['processing', 'processing'])
    const server = await serve({ environment: { ...place.environment, ...UNLIMITED } })
    await until('both are processed', async () => (await countOf(server, owner.token)) === 2)
    await eachCompletedOnce(place, owner.id, 2)
  })

  test('says why the provider refused a conversation, and ends with 1', ONCE, async () => {
    const { place, provider } = await placeWithProvider(0, heldDatabase)
    const owner = await newOwner(place)
    provider.answer('chat', (_, response) => void response.writeHead(401).end('{"error":{"message":"no such key"}}'))
    const [file] = transcripts(1)
    const { code, stdout, stderr } = await command(place, 'import', '--user', owner.email, '--wait', '--json', file!)
    expect(code).toBe(1)
    expect(jsonLines(stdout)).toEqual([
      { file, session_id: SESSION, status: 'failed', reason: expect.stringContaining('401') }
    ])
    expect(stderr).toMatch(new RegExp(`^${file}: [^\\n]*401[^\\n]*\\n$`))
  })

  test('prefers its options to the document', ONCE, async () => {
    const { place } = await placeWithProvider()
    const server = await serve(place)
    const owner = await newOwner(place)
    const file = fileIn(
      temporaryFolder(),
      'talk.json',
      document({
        title: 'Old',
        type: 'podcast',
        platform: 'meet',
        timestamp: '2020-01-01',
        tags: ['a'],
        folders: ['Clients']
      })
    )
    const options = ['--type', 'meeting', '--title', 'New', '--at', '2026-03-02T10:00:00+01:00', '--platform', 'zoom']
    const tags = ['--tag', 'b', '--tag', 'a', '--tag', 'c', '--folder', 'clients', '--folder', 'Team']
    const [imported] = await commandJson(place, 'import', '--user', owner.email, '--wait', ...options, ...tags, file)
    const { body } = await server.get(`/v1/sessions/${imported?.session_id}`, owner.token)
    expect(body).toMatchObject({
      title: 'New',
      type: 'meeting',
      platform: 'zoom',
      timestamp: '2026-03-02T09:00:00.000Z',
      tags: ['a', 'b', 'c'],
      folder_ids: [expect.stringMatching(/^fld_/), expect.stringMatching(/^fld_/)]
    })
    const [shown] = await commandJson(place, 'session', 'show', '--user', owner.email, String(imported?.session_id))
    expect(shown).toMatchObject({
      state: 'completed',
      title: 'New',
      type: 'meeting',
      platform: 'zoom',
      tags: ['a', 'b', 'c']
    })
    const names = (await rowsOf(place, 'select name from folders')).map(({ name }) => String(name).toLowerCase())
    expect(names.sort()).toEqual(['clients', 'team'])
  })

  test('continues after the end of a command that opened the database first', SLOW, async () => {
    const { place, provider } = await placeWithProvider()
    const owner = await newOwner(place)
    const files = transcripts(10)
    let open = () => {}
    const opened = new Promise<void>(resolve => {
      open = resolve
    })
    const wait = ['import', '--user', owner.email, '--wait', '--json']
    provider.answer(
      'chat',
      (request, response) => void opened.then(() => setTimeout(() => goodMinutes(request, response), 300))
    )
    const early = start(place.environment, [...wait, ...files.slice(0, 2)])
    await until('the first is at work on both of its own', () => provider.requests.length === 2)
    const late = start(place.environment, [...wait, ...files.slice(2)])
    await until('the second is at work too', () => provider.requests.length > 2)
    open()
    expect(await endOf(early)).toMatchObject({ code: 0, stderr: '' })
    expect(await endOf(late)).toMatchObject({ code: 0, stderr: '' })
    await eachCompletedOnce(place, owner.id, 10)
  })
})

test('a server killed in the middle of 30 conversations completes each of them once after its restart', {
  timeout: 300_000
}, async () => {
  const { place, provider } = await placeWithProvider(300)
  const killed = await serve(place)
  const owner = await newOwner(place)
  const files = transcripts(30)
  const accepted = await commandJson(place, 'import', '--user', owner.email, ...files)
  expect(accepted.map(({ status }) => status)).toEqual(Array(30).fill('processing'))
  await until('some are processed and others are not', async () => (await countOf(killed, owner.token)) >= 4)
  const asked = provider.requests.length
  await until('the next one is under way', () => provider.requests.length > asked)
  killed.kill('SIGKILL')
  await killed.ended
  const done = await rowsOf(place, "select session_id from sessions where state = 'completed'")
  expect(done.length).toBeGreaterThanOrEqual(4)
  expect(done.length).toBeLessThan(30)

  const server = await serve(place)
  await until('all are processed', async () => (await countOf(server, owner.token)) === 30)
  await eachCompletedOnce(place, owner.id, 30)
  const again = await commandJson(place, 'import', '--user', owner.email, '--wait', ...files)
  expect(again).toEqual(accepted.map(({ file, session_id }) => ({ file, session_id, status: 'existing' })))
  await eachCompletedOnce(place, owner.id, 30)
})

/** A database and a provider. One that takes its time lets the work on a conversation be interrupted. */
async function placeWithProvider(
  delayMs = 0,
  database = migratedDatabase
): Promise<{ place: Place; provider: Awaited<ReturnType<typeof startAiServer>> }> {
  const provider = await startAiServer()
  onTestFinished(() => provider.close())
  provider.answer('chat', (request, response) => void setTimeout(() => goodMinutes(request, response), delayMs))
  const place = await database()
  const environment: Environment = {
    ...place.environment,
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: provider.url,
    ...UNLIMITED
  }
  return { place: { ...place, environment }, provider }
}

function transcripts(count: number) {
  const folder = temporaryFolder()
  return Array.from({ length: count }, (_, index) =>
    fileIn(folder, `talk-${index}.txt`, `Ada: I'll send offer ${index}.\nBen: Thank you.`)
  )
}

async function countOf(server: Awaited<ReturnType<typeof serve>>, token: string) {
  const { body } = await server.get('/v1/sessions?limit=100', token)
  // A busy server may refuse to list them.
  return (body as { sessions?: unknown[] }).sessions?.length ?? 0
}

async function contentOf(place: Place) {
  const tables = ['sessions', 'transcripts', 'passages', 'events', 'folders', 'folder_sessions', 'user_counters']
  const rows = tables.map(table => `select '${table}' as name, to_jsonb(t) as content from ${table} t`)
  return await rowsOf(place, `select * from (${rows.join(' union all ')}) as all_rows order by name, content::text`)
}

/** Every session of the user is completed, with one event each, numbered without a gap, and counted. */
async function eachCompletedOnce(place: Place, userId: string, count: number) {
  const sessions = await rowsOf(place, 'select session_id, state from sessions where user_id = $1', [userId])
  expect(sessions.map(({ state }) => state)).toEqual(Array(count).fill('completed'))
  const events = await rowsOf(place, 'select seq, type, session_id from events where user_id = $1 order by seq', [
    userId
  ])
  expect(events.map(({ seq, type }) => ({ seq, type }))).toEqual(
    Array.from({ length: count }, (_, index) => ({ seq: index + 1, type: 'session.completed' }))
  )
  expect(events.map(({ session_id }) => session_id).sort()).toEqual(sessions.map(({ session_id }) => session_id).sort())
  const counters = await rowsOf(place, 'select last_seq, session_count from user_counters where user_id = $1', [userId])
  expect(counters).toEqual([{ last_seq: count, session_count: count }])
}

describe('import through a server', () => {
  test('sends files and documents with a token, finds them again, and waits for them', ONCE, async () => {
    const place = await migratedDatabase()
    const server = await serve(place)
    const owner = await newOwner(place)
    const folder = temporaryFolder()
    const good = fileIn(folder, 'good_review.vtt', VTT)
    const lines = fileIn(folder, 'lines.jsonl', `${document({ title: 'one', tags: ['a'], titel: '' })}\n{"title":\n`)
    const missing = `${folder}/missing.txt`
    // Another machine: it has neither a database nor settings.
    const elsewhere = { ...place, environment: { DATA_DIR: temporaryFolder() } }
    const through = ['import', '--url', server.url, '--token', owner.token, '--type', 'meeting', '--tag', 'b', '--json']
    const first = await command(elsewhere, ...through, '--wait', good, lines, missing, folder)
    expect(first.code).toBe(1)
    const [review, one, broken, ...gone] = jsonLines(first.stdout) as { session_id: string }[]
    expect([review, one]).toEqual([
      { file: good, session_id: SESSION, status: 'completed' },
      {
        file: `${lines}:1`,
        session_id: SESSION,
        status: 'completed',
        warnings: ['titel: ignored, because an import document has no such key']
      }
    ])
    expect([broken, ...gone]).toMatchObject([
      { status: 'failed' },
      { file: missing, status: 'failed' },
      { file: folder, status: 'failed' }
    ])
    const sessions = await Promise.all(
      [review, one].map(async each => (await server.get(`/v1/sessions/${each?.session_id}`, owner.token)).body)
    )
    expect(sessions).toMatchObject([
      { title: 'good review', type: 'meeting', tags: ['b'] },
      { title: 'one', type: 'meeting', tags: ['a', 'b'] }
    ])
    const again = await command(elsewhere, ...through, good)
    expect(jsonLines(again.stdout)).toEqual([{ ...review, status: 'existing' }])
  })

  test('imports as many files as the quota of the day has room for, and names each of the others', ONCE, async () => {
    const place = await migratedDatabase()
    const server = await serve({ ...place, environment: { ...place.environment, QUOTA_SESSIONS_PER_DAY: '3' } })
    const owner = await newOwner(place)
    const files = transcripts(5)
    const lines = fileIn(temporaryFolder(), 'lines.jsonl', document({ title: 'one' }))
    const through = ['import', '--url', server.url, '--token', owner.token, '--json']
    const outcome = await command(place, ...through, ...files, lines)
    expect(outcome.code).toBe(1)
    const refused = {
      session_id: null,
      status: 'failed',
      reason: expect.stringContaining('your quota of sessions a day is 3, and 3 are used')
    }
    expect(jsonLines(outcome.stdout)).toEqual([
      ...files.slice(0, 3).map(file => ({ file, session_id: SESSION, status: 'processing' })),
      ...files.slice(3).map(file => ({ file, ...refused })),
      { file: `${lines}:1`, ...refused }
    ])
    // The operator may exceed it, and it counts.
    expect(await commandJson(place, 'import', '--user', owner.email, ...files)).toMatchObject([
      ...Array(3).fill({ status: 'existing' }),
      ...Array(2).fill({ status: 'processing' })
    ])
    expect((await server.get('/v1/account', owner.token)).body).toMatchObject({
      quotas: { sessions_per_day: { used: 5, limit: 3 } }
    })
  })

  test('names an invalid address, token or option', ONCE, async () => {
    const place = await migratedDatabase()
    const server = await serve(place)
    const file = fileIn(temporaryFolder(), 'a.vtt', VTT)
    const refused = await command(place, 'import', '--url', server.url, '--token', 'prl_wrong', file)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('The token is unknown')])
    const nobody = await command(place, 'import', '--url', 'http://127.0.0.1:1', '--token', 'prl_wrong', file)
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('does not answer')])
    const half = await command(place, 'import', '--url', server.url, file)
    expect([half.code, half.stderr]).toEqual([2, expect.stringContaining('--url and --token')])
  })
})
