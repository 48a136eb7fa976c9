// @module-tag both
import { describe, expect, test } from 'vitest'
import { reindexSession } from '../../../src/features/ingest/reindex.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { plainAi } from '../../support/ai.ts'
import { acceptSession, NOW, newUser } from '../../support/server.ts'
import { claim, linkTo, newSharer } from '../../support/sharing.ts'

type User = Awaited<ReturnType<typeof newUser>>
type Answer = Awaited<ReturnType<User['get']>>

const line = (speaker: string, text: string, start: number) => ({ speaker, text, start, end: start + 1 })
const SAID = [line('Ada', 'Welcome to Kubernetes.', 0), line('Ben', 'Thank you, Ada.', 1), line('Ada', 'Goodbye.', 2)]
const untimed = SAID.map(({ speaker, text }) => ({ speaker, text }))

async function correct(user: User, id: string, segments: unknown, version: string | number = '*') {
  return await user.patch(`/v1/sessions/${id}/transcript`, { segments }, { 'if-match': String(version) })
}

async function transcriptOf(user: User, id: string, query = '') {
  return (await user.get(`/v1/sessions/${id}/transcript${query}`)).body
}

async function found(user: User, query: string) {
  const { body } = await user.post('/v1/sessions/search', { query: `"${query}"`, include_passages: true })
  return body.results.map((one: { passages: { text: string }[] }) => one.passages.map(({ text }) => text))
}

async function eventsOf(user: User): Promise<string[]> {
  return (await user.get('/v1/events?limit=200')).body.events.map(({ event }: { event: string }) => event)
}

const refusal = (status: number, code: string, message: string | RegExp) => ({
  status,
  body: { error: { code, message: typeof message === 'string' ? message : expect.stringMatching(message) } }
})

describe('PATCH /v1/sessions/{id}/transcript', () => {
  test('corrects a line, and answers with it and the new version', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const { version, segments } = await transcriptOf(user, id)
    const answer = await correct(user, id, [{ index: 0, text: 'Welcome to Parlance.' }], version)
    const corrected = { ...SAID[0], text: 'Welcome to Parlance.', edited_at: NOW }
    expect(answer).toEqual({
      status: 200,
      body: { id, version: version + 1, updated_at: NOW, lines: [{ index: 0, ...corrected }] }
    })
    expect(await transcriptOf(user, id)).toEqual({
      id,
      version: version + 1,
      transcript: 'Ada: Welcome to Parlance.\nBen: Thank you, Ada.\nAda: Goodbye.',
      segments: [corrected, segments[1], segments[2]]
    })
    expect(await eventsOf(user)).toEqual(['session.completed', 'session.updated'])
  })

  test('shows the correction in files, search, the shared copy, exports and the list of changes', async () => {
    const user = await newSharer()
    const reader = await newSharer()
    const id = await user.session({ segments: SAID, summary: 'Greetings.' })
    await claim(reader, await linkTo(user, id))
    const { sessions } = (await user.get('/v1/sessions?order=updated')).body
    await correct(user, id, [{ index: 0, text: 'Welcome to Parlance.' }])
    for (const format of ['txt', 'md', 'vtt', 'srt']) {
      const { body } = await user.get(`/v1/sessions/${id}/transcript.${format}`)
      expect(body).toContain('Welcome to Parlance.')
      expect(body).not.toContain('Kubernetes')
    }
    expect(await found(user, 'Parlance')).toEqual([[expect.stringContaining('Welcome to Parlance.')]])
    expect(await found(user, 'Kubernetes')).toEqual([])
    const shared = (await reader.get(`/v1/shared-sessions/${user.id}/${id}/transcript`)).body
    expect(shared.segments[0]).toEqual({ ...SAID[0], text: 'Welcome to Parlance.' })
    const bulk = await user.post('/v1/sessions/bulk', { session_ids: [id], include_transcript: true })
    expect(JSON.stringify(bulk.body)).toContain('Welcome to Parlance.')
    const changed = await user.get(`/v1/sessions?order=updated&updated_since=${sessions[0].updated_at}`)
    expect(changed.body.sessions.map((one: { id: string }) => one.id)).toEqual([id])
  })

  test('keeps what was heard, and goes on keeping it after another correction', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    expect((await transcriptOf(user, id, '?original=true')).segments).toEqual(SAID)
    await correct(user, id, [{ index: 0, text: 'Welcome to Parlance.' }])
    await correct(user, id, [
      { index: 0, text: 'Welcome back.' },
      { index: 2, text: null }
    ])
    expect((await transcriptOf(user, id, '?original=true')).segments).toEqual(SAID)
    expect((await transcriptOf(user, id)).segments).toHaveLength(2)
    await user.delete(`/v1/sessions/${id}?permanently=true`)
    const { rows } = await user.db.execute(sql`select 1 from transcripts where user_id = ${user.id}`)
    expect(rows).toEqual([])
  })

  test('forgets a deleted person in what was heard, too', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID, speakers: [{ label: 'Ben', person: 'Ben' }] })
    await correct(user, id, [{ index: 0, text: 'Welcome to Parlance.' }])
    const { people } = (await user.get('/v1/people')).body
    await user.delete(`/v1/people/${people.find(({ name }: { name: string }) => name === 'Ben').id}`)
    const { segments } = await transcriptOf(user, id, '?original=true')
    expect(segments.map(({ speaker }: { speaker: string }) => speaker)).toEqual(['Ada', 'Speaker', 'Ada'])
  })

  test('removes a line, and those after it move up', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const { body } = await correct(user, id, [
      { index: 0, text: null },
      { index: 2, text: 'Bye.' }
    ])
    expect(body.lines).toEqual([{ index: 1, ...line('Ada', 'Bye.', 2), edited_at: NOW }])
    expect((await transcriptOf(user, id)).transcript).toBe('Ben: Thank you, Ada.\nAda: Bye.')
  })

  test('removes every line', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const { status } = await correct(
      user,
      id,
      SAID.map((_, index) => ({ index, text: null }))
    )
    expect(status).toBe(200)
    expect((await transcriptOf(user, id)).transcript).toBe('')
    expect(await found(user, 'Goodbye')).toEqual([])
  })

  test('changes the times of a line, and keeps lines in the order of their starts', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const { body } = await correct(user, id, [{ index: 0, start: 1.5, end: 1.75 }])
    expect(body.lines).toEqual([{ index: 1, ...SAID[0], start: 1.5, end: 1.75, edited_at: NOW }])
  })

  test('gives a line to another speaker: talk times and top lines follow', async () => {
    const user = await newUser()
    const speakers = ['Ada', 'Ben'].map(person => ({ label: person, person }))
    const id = await user.session({ segments: SAID, speakers })
    await correct(user, id, [{ index: 2, speaker: 'Ben', text: 'Goodbye to everybody here.' }])
    const { people } = (await user.get('/v1/people')).body
    const heard = people.map(async ({ id: person, name }: { id: string; name: string }) => {
      const [session] = (await user.get(`/v1/people/${person}/sessions`)).body.sessions
      return [name, session.talk_seconds, session.top_lines]
    })
    expect((await Promise.all(heard)).sort()).toEqual([
      ['Ada', 1, ['Welcome to Kubernetes.']],
      ['Ben', 2, ['Goodbye to everybody here.', 'Thank you, Ada.']]
    ])
  })

  test('takes a speaker from the people of the session with their last line', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID, speakers: [{ label: 'Ben', person: 'Ben' }] })
    await correct(user, id, [{ index: 1, speaker: 'Cy' }])
    expect((await user.get('/v1/people')).body.people).toMatchObject([{ name: 'Ada' }])
  })

  test('corrects a transcript without times by the indexes of its lines', async () => {
    const user = await newUser()
    const id = await user.session({ segments: untimed })
    const all = await transcriptOf(user, id, '?lines=true')
    expect(all.lines).toEqual(untimed.map((said, index) => ({ index, ...said })))
    await correct(user, id, [{ index: 1, text: 'Thanks.' }], all.version)
    expect((await transcriptOf(user, id)).transcript).toBe('Ada: Welcome to Kubernetes.\nBen: Thanks.\nAda: Goodbye.')
    expect(await correct(user, id, [{ index: 1, end: 4 }])).toEqual(
      refusal(400, 'invalid_request', 'segments.0.end: the transcript has no times; send text and speaker only')
    )
  })

  test('writes and records nothing if every line stays the same', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const { version } = await transcriptOf(user, id)
    const same = await correct(user, id, [{ index: 1, text: 'Thank you, Ada.', speaker: 'Ben' }])
    expect(same).toMatchObject({ status: 200, body: { version, lines: [] } })
    expect(await eventsOf(user)).toEqual(['session.completed'])
    expect(await transcriptOf(user, id)).toMatchObject({ version, segments: SAID })
  })

  test('takes the ETag of the transcript, and refuses an earlier version with the present one', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const etag = String((await user.send(`/v1/sessions/${id}/transcript`)).headers.etag)
    expect((await correct(user, id, [{ index: 0, text: 'One.' }], etag)).status).toBe(200)
    expect(await correct(user, id, [{ index: 0, text: 'Two.' }], etag)).toEqual(
      refusal(409, 'conflict', 'If-Match: the transcript is at version 2; read it again')
    )
    expect((await transcriptOf(user, id)).segments[0].text).toBe('One.')
    const unchanged = await user.send(`/v1/sessions/${id}/transcript`, { 'if-none-match': '"2"' })
    expect(unchanged.status).toBe(304)
  })

  test('refuses the version from before a correction of the speakers', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const { version } = await transcriptOf(user, id)
    await user.patch(`/v1/sessions/${id}/speakers`, { swap: ['Ada', 'Ben'] })
    expect((await correct(user, id, [{ index: 0, text: 'One.' }], version)).status).toBe(409)
  })

  const lines = (count: number) => Array.from({ length: count }, (_, index) => ({ index, text: 'x' }))
  test.each<[unknown, RegExp]>([
    [[], /^segments: send a list of 1 to 500 lines/],
    [undefined, /^segments: send a list of 1 to 500 lines/],
    [[{ index: 3, text: 'x' }], /^segments\.0\.index: the transcript has no line 3; send an index from 0 to 2/],
    [[{ index: -1, text: 'x' }], /^segments\.0\.index: send the index of a line/],
    [[{ index: 1.5, text: 'x' }], /^segments\.0\.index: send the index of a line/],
    [[lines(1)[0], { index: 0, text: 'y' }], /^segments\.1\.index: line 0 occurs twice; send each line once/],
    [[{ index: 0 }], /^segments\.0\.text: send text, speaker, start or end/],
    [[{ index: 0, text: ' ' }], /^segments\.0\.text: send a text of 1 to/],
    [
      [{ index: 0, text: null, speaker: 'Ben' }],
      /^segments\.0\.speaker: send no other field with a line that is removed/
    ],
    [[{ index: 0, speaker: ' ' }], /^segments\.0\.speaker: send a name/],
    [[{ index: 0, end: -1 }], /^segments\.0\.end: send a number of seconds/],
    [[{ index: 2, end: 1 }], /^segments\.0\.end: the line would end before it starts/]
  ])('refuses %j and changes nothing', async (segments, message) => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    expect(await correct(user, id, segments)).toEqual(refusal(400, 'invalid_request', message))
    expect((await transcriptOf(user, id)).segments).toEqual(SAID)
  })

  test('takes 500 lines at once, and refuses 501', async () => {
    const user = await newUser()
    const id = await user.session({ segments: Array.from({ length: 501 }, (_, n) => line('Ada', `Line ${n}.`, n)) })
    expect(await correct(user, id, lines(501))).toEqual(
      refusal(400, 'invalid_request', /^segments: send a list of 1 to 500 lines/)
    )
    const { status, body } = await correct(user, id, lines(500))
    expect([status, body.lines.length]).toEqual([200, 500])
  })

  test('needs If-Match, and a session that is completed and not in the trash', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const path = `/v1/sessions/${id}/transcript`
    const body = { segments: [{ index: 0, text: 'Mine.' }] }
    expect(await user.patch(path, body)).toEqual(
      refusal(
        400,
        'invalid_request',
        'If-Match: send the version of the transcript that you have read, such as "7", or *'
      )
    )
    await user.delete(`/v1/sessions/${id}`)
    expect((await correct(user, id, body.segments)).status).toBe(404)
    const processing = await acceptSession(user.id, { segments: SAID })
    expect((await correct(user, processing, body.segments)).status).toBe(409)
  })

  test('takes hostile text literally', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const hostile = ['(a+)+$', '\u202eabc', '👩‍👩‍👧‍👦 zero\u200bwidth', `${'a'.repeat(2_000)}!`]
    for (const text of hostile) {
      const answer: Answer = await correct(user, id, [{ index: 1, text }])
      expect(answer.body.lines[0].text).toBe(text)
    }
  })

  test('counts what it stores toward the quota, with what was heard', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SAID })
    const used = async () => (await user.get('/v1/account')).body.quotas.bytes_stored.used
    const before = await used()
    await correct(user, id, [{ index: 0, text: 'x'.repeat(1_000) }])
    const first = await used()
    expect(first - before).toBeGreaterThan(1_000)
    await correct(user, id, [{ index: 0, text: 'x'.repeat(500) }])
    expect(await used()).toBe(first - 500)
    await user.delete(`/v1/sessions/${id}`)
    await user.delete(`/v1/sessions/${id}?permanently=true`)
    expect(await used()).toBe(0)
  })
})

test('embeds only the passages that have changed', async () => {
  const user = await newUser()
  const words = (word: string) => `${word} `.repeat(250).trim()
  const said = ['apple', 'bread', 'cider', 'dates'].map((word, at) => line(at % 2 ? 'Ben' : 'Ada', words(word), at))
  const id = await user.session({ segments: said })
  const stored = async () => {
    const { rows } = await user.db.execute<{ vector: string }>(
      sql`select vector::text as vector from embeddings where user_id = ${user.id} order by ordinal`
    )
    return rows.map(({ vector }) => vector)
  }
  const before = await stored()
  expect(before).toHaveLength(4)
  await correct(user, id, [{ index: 1, text: words('brioche') }])
  expect(await stored()).toEqual([before[0], before[2], before[3]])

  const embedded: string[] = []
  const embed = async (texts: readonly string[]) => {
    embedded.push(...texts)
    return await plainAi().embed([...texts], signal)
  }
  const signal = new AbortController().signal
  await reindexSession({ db: user.db, ai: plainAi({ embed }) }, user.id, id, signal)
  expect(embedded).toEqual([`Ben: ${words('brioche')}`])
  expect(await stored()).toEqual([before[0], expect.not.stringMatching(`^${before[1]}$`), before[2], before[3]])

  // The embeddings of the passages after a removed one move up with their texts.
  await correct(user, id, [{ index: 0, text: null }])
  expect(await stored()).toEqual([expect.any(String), before[2], before[3]])
})

test('of 1,000 edits by eight writers at once, each is in the transcript or was refused', {
  timeout: 300_000
}, async () => {
  const user = await newUser()
  const [count, edits] = [40, 1_000]
  const id = await user.session({ segments: Array.from({ length: count }, (_, n) => line('Ada', `Line ${n}.`, n)) })
  const written = new Map<number, string[]>()
  let refused = 0
  let next = 0
  async function write(writer: number) {
    while (next < edits) {
      const edit = next++
      const { version, segments } = await transcriptOf(user, id)
      const index = (edit * 7) % count
      // Each writer adds to what it has read, so a change that is lost is a mark that is missing.
      const text = `${segments[index].text} ${writer}-${edit}`
      const { status } = await correct(user, id, [{ index, text }], version)
      if (status === 200) written.set(index, [...(written.get(index) ?? []), `${writer}-${edit}`])
      else refused++
      expect([200, 409]).toContain(status)
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)))
  const { segments, version } = await transcriptOf(user, id)
  const marks = [...written.values()].flat()
  expect(marks.length + refused).toBe(edits)
  expect(version).toBe(1 + marks.length)
  for (const [index, expected] of written) expect(segments[index].text).toBe(`Line ${index}. ${expected.join(' ')}`)
})
