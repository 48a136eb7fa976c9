// @module-tag both

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FIELD_LIMITS, LIMITS } from '../../../src/contract/limits.ts'
import { updateUser } from '../../../src/features/access/queries.ts'
import { FAILURES } from '../../../src/features/library/failure-reason.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { exchange, portOf, sendRaw } from '../../support/http.ts'
import { withoutParam } from '../../support/refusal.ts'
import {
  buildTestApp,
  completeSession,
  newUser,
  newUserOf,
  SPOKEN,
  testDatabase,
  testMedia,
  UPLOADS
} from '../../support/server.ts'
import { sound } from '../../support/sound.ts'
import { trash } from '../../support/trash.ts'

const VTT = 'WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ada>Good morning, all of you.\n'
const BYTES = { 'content-type': 'application/octet-stream' }
const DOCUMENT = { title: 'Weekly review', external_id: 'zoom-1', segments: SPOKEN }
const CURL = existsSync('/usr/bin/curl') ? '/usr/bin/curl' : undefined

const refusal = (status: number, message: string) => ({
  status,
  body: { error: { code: 'invalid_request', message: expect.stringContaining(message) } }
})

type User = Awaited<ReturnType<typeof newUser>>
const upload = (user: User, query: string, content: string | Buffer = VTT) =>
  user.post(`/v1/sessions/upload${query}`, Buffer.from(content), BYTES)

/** The application on a socket of this machine, with a user of it. */
async function listening(
  overrides: Parameters<typeof buildTestApp>[0] = {},
  options?: Parameters<typeof buildTestApp>[1]
) {
  const { db } = await testDatabase()
  const app = await buildTestApp(overrides, options)
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const user = await newUserOf({ db, app })
  const post = async (body: RequestInit['body'], query = '', headers: Record<string, string> = {}) => {
    const url = `${app.listeningOrigin}/v1/sessions/upload${query}`
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.token}`, ...headers },
      body: body ?? null
    })
    return {
      status: answer.status,
      body: withoutParam(await answer.json()) as { id: string; status: string; audio_url?: string }
    }
  }
  return { user, post, origin: app.listeningOrigin }
}

describe('POST /v1/sessions', () => {
  test('imports a document with the Location of its session, which can be read once it is processed', async () => {
    const user = await newUser()
    const { status, headers, body } = await user.ask('POST', '/v1/sessions', { body: DOCUMENT })
    expect({ status, body }).toEqual({
      status: 202,
      body: { id: expect.stringMatching(/^ses_/), status: 'processing', external_id: 'zoom-1' }
    })
    expect(headers.location).toBe(`/v1/sessions/${body.id}`)
    await completeSession(user.id, body.id)
    expect((await user.get(String(headers.location))).body).toMatchObject({ title: 'Weekly review', type: 'import' })
    expect((await user.get('/v1/sessions')).body.sessions.map(({ id }: { id: string }) => id)).toEqual([body.id])
  })

  test('answers with the session that has the external_id, in its state, and changes nothing', async () => {
    const user = await newUser()
    const { body: first } = await user.post('/v1/sessions', DOCUMENT)
    const again = { ...DOCUMENT, title: 'Another title' }
    const warnings = ['title: ignored, because the conversation was imported before']
    expect(await user.post('/v1/sessions', again)).toEqual({ status: 200, body: { ...first, warnings } })
    await completeSession(user.id, first.id)
    const { status, headers, body } = await user.ask('POST', '/v1/sessions', { body: again })
    expect({ status, body }).toEqual({ status: 200, body: { ...first, status: 'completed', warnings } })
    expect(headers.location).toBe(`/v1/sessions/${first.id}`)
    expect((await user.get(`/v1/sessions/${first.id}`)).body.title).toBe('Weekly review')
  })

  test('makes a session for each import without an external_id', async () => {
    const user = await newUser()
    const [a, b] = [
      await user.post('/v1/sessions', { segments: SPOKEN }),
      await user.post('/v1/sessions', { segments: SPOKEN })
    ]
    expect([a.status, b.status, a.body.external_id]).toEqual([202, 202, null])
    expect(a.body.id).not.toBe(b.body.id)
  })

  test('the same external_id of another user is another session', async () => {
    const [ada, ben] = [await newUser(), await newUser()]
    const { body } = await ada.post('/v1/sessions', DOCUMENT)
    const other = await ben.post('/v1/sessions', DOCUMENT)
    expect(other.status).toBe(202)
    expect(other.body.id).not.toBe(body.id)
    expect((await ben.get(`/v1/sessions/${body.id}`)).status).toBe(404)
  })

  test('makes one session for 20 imports at once with one external_id, which the others find', async () => {
    const user = await newUser()
    const answers = await Promise.all(Array.from({ length: 20 }, () => user.post('/v1/sessions', DOCUMENT)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 202])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  })

  test('accepts each of 45 imports at once with one timestamp', async () => {
    const user = await newUser()
    const answers = await Promise.all(
      Array.from({ length: 45 }, (_, n) =>
        user.post('/v1/sessions', { ...DOCUMENT, external_id: `${n}`, timestamp: '2026-03-02T09:00:00Z' })
      )
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 45 }, () => 202))
    const { rows } = await user.db.execute(
      `select count(*)::integer as stored from sessions where user_id = '${user.id}'`
    )
    expect(rows).toEqual([{ stored: 45 }])
  })

  test('names the ignored parts of a new document', async () => {
    const user = await newUser()
    const { status, body } = await user.post('/v1/sessions', { segments: SPOKEN, atendees: ['Ada'] })
    expect([status, body.warnings]).toEqual([202, [expect.stringContaining('atendees')]])
  })

  test('answers with the session when it is in the trash', async () => {
    const user = await newUser()
    const { body } = await user.post('/v1/sessions', DOCUMENT)
    await trash({ db: user.db }, user.id, body.id)
    expect(await user.post('/v1/sessions', DOCUMENT)).toEqual({
      status: 409,
      body: { error: { code: 'conflict', message: expect.stringContaining(`The session ${body.id}`) } }
    })
  })

  test.each<[string, object | undefined, string]>([
    ['no body', undefined, 'body: '],
    ['no field at all of a conversation', { segments: 'Hello' }, 'segments: send a list'],
    [
      'a wrong time',
      { segments: [{ speaker: 'Ada', text: 'Hi', start: 'now' }] },
      'segments.0.start: send a number of seconds'
    ],
    ...[
      'https://example.com/a\n.mp3',
      'https://example.com/\ta.mp3',
      'https://example.com\\a.mp3',
      'https://example.com/a b.mp3'
    ].map((audio): [string, object, string] => [
      `a URL that is ${JSON.stringify(audio)}`,
      { segments: SPOKEN, media: { audio } },
      'media.audio: send an http(s) URL'
    ]),
    ['a local recording', { segments: SPOKEN, media: { audio: 'talk.mp3' } }, 'media.audio: send an http(s) URL']
  ])('refuses %s, naming the field', async (_, body, message) => {
    const user = await newUser()
    expect(await user.post('/v1/sessions', body)).toEqual(refusal(400, message))
  })

  test('segments are in the order of their starts, and one without an end lasts until the next one starts', async () => {
    const user = await newUser()
    const segments = [
      { speaker: 'Ada', start: 1, text: 'Good morning.' },
      { speaker: 'Ben', start: 4.5, text: 'Hello.' },
      { speaker: 'Ada', start: 4, text: 'Who begins?' }
    ]
    const { body } = await user.post('/v1/sessions', { segments })
    const read = await user.get(`/v1/sessions/${body.id}/transcript`)
    expect(read.body.segments.map(({ start, end }: { start: number; end: number }) => [start, end])).toEqual([
      [1, 4],
      [4, 4.5],
      [4.5, 4.5]
    ])
  })

  test.each([
    [
      'some segments have no start',
      [{ start: 1, end: 2 }, { end: 3 }],
      undefined,
      [
        [1, 2],
        [2, 3]
      ]
    ],
    [
      'no segment has a start',
      [{ end: 2 }, {}],
      ['all times are ignored, because 2 of 2 segments have no start'],
      undefined
    ],
    [
      'a segment ends before it starts',
      [
        { start: 1, end: 2 },
        { start: 5, end: 3 }
      ],
      ['the end is ignored in 1 of 2 segments, because it is before the start'],
      [
        [1, 2],
        [5, 5]
      ]
    ],
    ['no segment has a time', [{}, {}], undefined, undefined]
  ])('says in `warnings` which times are ignored: %s', async (_, times, warnings, kept) => {
    const user = await newUser()
    const segments = times.map(time => ({ ...time, speaker: 'Ada', text: 'Good morning.' }))
    const { status, body } = await user.post('/v1/sessions', { segments })
    expect([status, body.warnings]).toEqual([202, warnings?.map(warning => `segments: ${warning}`)])
    const read = await user.get(`/v1/sessions/${body.id}/transcript`)
    expect(read.body.segments?.map(({ start, end }: { start: number; end: number }) => [start, end])).toEqual(kept)
  })

  test('says of an uploaded file, too, that a caption ends before it starts', async () => {
    const user = await newUser()
    const url = '/v1/sessions/upload?file=a.vtt'
    const vtt = Buffer.from('WEBVTT\n\n00:05.000 --> 00:03.000\n<v Ada>Good morning.')
    const { status, body } = await user.post(url, vtt, { 'content-type': 'application/octet-stream' })
    expect([status, body.warnings]).toEqual([
      202,
      ['segments: the end is ignored in 1 of 1 segments, because it is before the start']
    ])
    expect((await user.get(`/v1/sessions/${body.id}`)).body.duration_seconds).toBe(5)
  })

  test('takes a document of many megabytes, and refuses one beyond the limit', async () => {
    const user = await newUser()
    const segments = Array.from({ length: 40_000 }, (_, n) => ({
      speaker: 'Ada',
      start: n,
      end: n + 1,
      text: 'x'.repeat(100)
    }))
    expect((await user.post('/v1/sessions', { segments })).status).toBe(202)
    const declared = { 'content-length': String(LIMITS.documentBytes + 1), 'content-type': 'application/json' }
    expect(await user.post('/v1/sessions', Buffer.from('{}'), declared)).toEqual(refusal(413, 'too large'))
  })
})

/** One caption a second, more than a transcript has segments. */
const CAPTIONS = Array.from({ length: FIELD_LIMITS.entries + 1 }, (_, at) => {
  const [start, end] = [at, at + 0.5].map(seconds => new Date(seconds * 1000).toISOString().slice(11, 23))
  return `${start} --> ${end}\nword ${at}`
})

describe('POST /v1/sessions/upload', () => {
  test('imports the bytes of a transcript, with the fields of the query, and leaves no file behind', async () => {
    const user = await newUser()
    const query =
      '?file=weekly_review.vtt&type=meeting&timestamp=2026-03-01T10:00:00Z&tag=a&tag=b&folder=Clients&external_id=mine'
    const { status, body } = await upload(user, query)
    expect({ status, body }).toEqual({
      status: 202,
      body: { id: expect.any(String), status: 'processing', external_id: 'mine' }
    })
    expect((await user.get(`/v1/sessions/${body.id}`)).body).toMatchObject({
      title: 'weekly review',
      type: 'meeting',
      tags: ['a', 'b'],
      timestamp: '2026-03-01T10:00:00.000Z'
    })
    expect((await user.get(`/v1/sessions/${body.id}/transcript`)).body.transcript).toBe(
      'Ada: Good morning, all of you.'
    )
    expect(readdirSync(UPLOADS)).toEqual([])
  })

  test("an external_id of the query wins over the document's", async () => {
    const user = await newUser()
    const { body } = await upload(user, '?file=a.json&external_id=mine', JSON.stringify(DOCUMENT))
    expect(body).toEqual({ id: expect.any(String), status: 'processing', external_id: 'mine' })
    expect((await user.post('/v1/sessions', { ...DOCUMENT, external_id: 'mine' })).body.id).toBe(body.id)
  })

  test('a timestamp without an offset is in the time zone of the user, in a document, too', async () => {
    const user = await newUser()
    await updateUser(user.db, user.id, { timeZone: 'Europe/Berlin' })
    const sent = [
      await upload(user, '?file=a.vtt&timestamp=2026-03-02T10:00:00'),
      await user.post('/v1/sessions', { ...DOCUMENT, external_id: 'local', timestamp: '2026-03-02T10:00:00' })
    ]
    for (const { body } of sent)
      expect((await user.get(`/v1/sessions/${body.id}`)).body.timestamp).toBe('2026-03-02T09:00:00.000Z')
  })

  test('finds the session of the same file', async () => {
    const user = await newUser()
    const { body } = await upload(user, '?file=a.vtt')
    expect(await upload(user, '?file=b.vtt')).toEqual({ status: 200, body })
  })

  test.each([
    ['weekly.log', 'Ada: Good morning.\n', 'Ada: Good morning.'],
    ['weekly.text', VTT, 'Ada: Good morning, all of you.'],
    ['weekly.srt.bak', '1\n00:00:01,000 --> 00:00:02,000\nAda: Good morning.\n', 'Ada: Good morning.'],
    ['weekly.data', JSON.stringify(DOCUMENT), SPOKEN.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n')]
  ])('reads %s, whose extension is unknown, by its content', async (name, content, transcript) => {
    const user = await newUser()
    const { status, body } = await upload(user, `?file=${name}`, content)
    expect([status, (await user.get(`/v1/sessions/${body.id}/transcript`)).body.transcript]).toEqual([202, transcript])
  })

  test('takes the bytes under any content type', async () => {
    const user = await newUser()
    for (const type of ['text/vtt', 'application/x-www-form-urlencoded', 'audio/mpeg']) {
      const { status } = await user.post(`/v1/sessions/upload?file=a.vtt&external_id=${type}`, Buffer.from(VTT), {
        'content-type': type
      })
      expect([type, status]).toEqual([type, 202])
    }
  })

  test.each([
    ['no name', '', VTT, 'file: send the name of the file in the query'],
    ['a path', '?file=../../etc/passwd.vtt', VTT, 'file: send the name of a file'],
    ['a name without an ending', '?file=noending', VTT, 'file: send the name of a file'],
    [
      'a name longer than a disk takes',
      `?file=${encodeURIComponent('ü'.repeat(190))}.vtt`,
      VTT,
      'file: send the name of a file'
    ],
    ['an unknown type', '?file=a.vtt&type=talk', VTT, 'type: send one of'],
    [
      'many documents',
      '?file=a.jsonl',
      `${JSON.stringify({ segments: SPOKEN })}\n${JSON.stringify({ segments: SPOKEN })}\n`,
      'file: The file holds several documents: send each in its own request'
    ],
    ['broken JSON', '?file=a.json', '{', 'file: '],
    [
      'more tags than a session has, with those of the file',
      '?file=a.json&tag=more',
      JSON.stringify({ segments: SPOKEN, tags: Array.from({ length: 20 }, (_, at) => `${at}`) }),
      'tags: send at most 20, with those of the file'
    ],
    [
      'a caption longer than a segment may be',
      '?file=a.vtt',
      `WEBVTT\n\n00:00.000 --> 01:00.000\n${'word '.repeat(FIELD_LIMITS.segmentText / 5)}end\n`,
      'file: segments.0.text: expected a text of at most 1000000 characters.'
    ],
    [
      'a tool’s segment longer than a segment may be',
      '?file=a.json',
      JSON.stringify({
        text: 'x',
        segments: [{ id: 0, start: 0, end: 1, text: 'word '.repeat(FIELD_LIMITS.segmentText / 5 + 1) }]
      }),
      'file: segments.0.text: expected a text of at most 1000000 characters.'
    ],
    [
      'more captions than a transcript has segments',
      '?file=a.vtt',
      ['WEBVTT', ...CAPTIONS].join('\n\n'),
      'file: segments: expected a list of at most'
    ],
    ['what is no text', '?file=a.bin', '\u0001\u0002\u0003ID3', 'file: The file is not plain text'],
    [
      'a damaged zip archive under the name of a transcript',
      '?file=a.vtt',
      `PK\u0003\u0004${'Good morning. '.repeat(300)}`,
      'file: The file is a damaged zip archive.'
    ],
    [
      'an older Word document',
      '?file=a.doc',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('Good morning. '.repeat(300))]),
      'file: The file is an older Office document, such as .doc: save its text'
    ],
    [
      'a compressed transcript',
      '?file=a.txt',
      Buffer.concat([Buffer.from('1f8b0800', 'hex'), Buffer.from('Good morning. '.repeat(300))]),
      'file: The file is compressed: save its text'
    ],
    ['an empty recording', '?file=a.mp3', '', 'file: '],
    ['a recording that nobody transcribes', '?file=a.mp3', 'sound', 'can’t transcribe recordings']
  ])('refuses %s', async (_, query, content, message) => {
    const user = await newUser()
    expect(await upload(user, query, content)).toEqual(refusal(400, message))
  })

  test('refuses an upload without a body, and says how to send a file', async () => {
    const user = await newUser()
    expect(await user.post('/v1/sessions/upload?file=a.json')).toEqual(refusal(400, 'application/octet-stream'))
  })

  test('takes a JSON file under its own type, beyond the limits of other JSON bodies', async () => {
    const user = await newUser()
    const text = 'Good morning, all of you. '.repeat(LIMITS.bodyBytes / 20)
    const { status, body } = await user.post('/v1/sessions/upload?file=a.json', {
      segments: [{ speaker: 'Ada', text }]
    })
    expect([status, (await user.get(`/v1/sessions/${body.id}/transcript`)).body.transcript]).toEqual([
      202,
      `Ada: ${text.trim()}`
    ])
  })

  test('stores a recording where recordings are transcribed', async () => {
    const { user, post } = await listening({ transcribes: true })
    const { status, body } = await post(sound('call'), '?file=call.mp3&type=phone', BYTES)
    expect([status, body.status]).toEqual([202, 'processing'])
    const link = new URL((await user.get(`/v1/sessions/${body.id}/media`)).body.audio_url)
    expect((await user.app.inject(link.pathname + link.search)).rawPayload).toEqual(sound('call'))
  })
})

describe('POST /v1/sessions/upload as a form', () => {
  const form = (fields: [string, string | Blob, string?][]) => {
    const made = new FormData()
    for (const [name, value, file] of fields) {
      if (typeof value === 'string') made.append(name, value)
      else made.append(name, value, file)
    }
    return made
  }
  const vtt = () => new Blob([VTT], { type: 'text/vtt' })

  test('imports the file of a form, with fields before it and after it', async () => {
    const { user, post } = await listening()
    const { status, body } = await post(
      form([
        ['title', 'Grüße 👋'],
        ['file', vtt(), 'weekly.vtt'],
        ['type', 'meeting'],
        ['tag', 'a'],
        ['tag', 'b']
      ])
    )
    expect([status, body.status]).toEqual([202, 'processing'])
    expect((await user.get(`/v1/sessions/${body.id}`)).body).toMatchObject({
      title: 'Grüße 👋',
      type: 'meeting',
      tags: ['a', 'b']
    })
    expect(readdirSync(UPLOADS)).toEqual([])
  })

  test('reads the name of the file in any script, and the query overrides name and fields', async () => {
    const { user, post } = await listening()
    const named = await post(form([['data', vtt(), 'Wöchentliche_Runde.vtt']]))
    expect((await user.get(`/v1/sessions/${named.body.id}`)).body.title).toBe('Wöchentliche Runde')
    const overridden = await post(
      form([
        ['file', new Blob(['Ada: Hello.']), 'blob'],
        ['title', 'Form']
      ]),
      '?file=weekly.txt&title=Query'
    )
    expect((await user.get(`/v1/sessions/${overridden.body.id}`)).body.title).toBe('Query')
  })

  test('the same file as bytes and as a form is the same session', async () => {
    const { user, post } = await listening()
    const { body } = await upload(user, '?file=a.vtt')
    expect(await post(form([['file', vtt(), 'b.vtt']]))).toEqual({ status: 200, body })
  })

  test('is answered even if storing its recording takes longer than a connection may be idle', async () => {
    const store = testMedia()
    const put: typeof store.put = async (...file) => {
      // The server closes this idle connection, and so would have closed the connection of the upload, which is idle for longer.
      await once(connect(Number(new URL(origin).port), '127.0.0.1').resume(), 'close')
      return await store.put(...file)
    }
    const { post, origin } = await listening({ media: { ...store, put }, transcribes: true }, { stallTimeoutMs: 2_000 })
    // The first upload of an application takes longer.
    expect(await post(form([['file', vtt(), 'a.vtt']]))).toMatchObject({ status: 202 })
    const blob = (text: string) => new Blob([new Uint8Array(sound(text))])
    const uploads = [post(form([['file', blob('form'), 'a.mp3']])), post(blob('bytes'), '?file=b.mp3', BYTES)]
    expect(await Promise.all(uploads)).toMatchObject([{ status: 202 }, { status: 202 }])
  })

  test.each<[string, [string, string | Blob, string?][], string]>([
    ['a form without a file', [['title', 'Weekly']], 'file: send the file as a part of the form'],
    [
      'two files',
      [
        ['a', new Blob([VTT]), 'a.vtt'],
        ['b', new Blob([VTT]), 'b.vtt']
      ],
      'b: send one file in each request'
    ],
    ['a file without an ending', [['file', new Blob([VTT]), 'weekly']], 'file: send the name of a file'],
    [
      'an unknown field',
      [
        ['file', new Blob([VTT]), 'a.vtt'],
        ['titel', 'x']
      ],
      'form: leave out titel'
    ],
    [
      'a wrong type',
      [
        ['file', new Blob([VTT]), 'a.vtt'],
        ['type', 'talk']
      ],
      'type: send one of'
    ],
    [
      'a title twice',
      [
        ['title', 'a'],
        ['title', 'b'],
        ['file', new Blob([VTT]), 'a.vtt']
      ],
      'title: '
    ],
    [
      'a field that a database cannot store',
      [
        ['file', new Blob([VTT]), 'a.vtt'],
        ['title', 'a\0b']
      ],
      'title: send text without NUL'
    ],
    [
      'a reserved name',
      [
        ['constructor', 'x'],
        ['file', new Blob([VTT]), 'a.vtt']
      ],
      'reserved name'
    ],
    [
      'a thousand fields',
      [
        ...Array.from({ length: 1_000 }, (_, n): [string, string] => ['tag', `${n}`]),
        ['file', new Blob([VTT]), 'a.vtt']
      ],
      'at most 100'
    ]
  ])('refuses %s', async (_, fields, message) => {
    const { post } = await listening()
    expect(await post(form(fields))).toEqual(refusal(400, message))
    expect(readdirSync(UPLOADS)).toEqual([])
  })

  test.each([
    ['without a boundary', 'multipart/form-data', 'x'],
    [
      'that ends early',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.vtt"\r\n\r\nWEBVTT'
    ],
    ['that is none', 'multipart/form-data; boundary=b', 'nonsense'],
    ['without a byte', 'multipart/form-data; boundary=b', '']
  ])('refuses a form %s', async (_, type, content) => {
    const user = await newUser()
    const { status, body } = await user.post('/v1/sessions/upload', Buffer.from(content), { 'content-type': type })
    expect([status, body.error.code]).toEqual([400, 'invalid_request'])
    expect(readdirSync(UPLOADS)).toEqual([])
  })

  test.skipIf(CURL === undefined)('takes what curl -F sends (skipped without curl)', async () => {
    const { user, origin } = await listening()
    const folder = mkdtempSync(join(tmpdir(), 'parlance-test-curl-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'product_review.vtt')
    writeFileSync(file, VTT)
    const { stdout } = await promisify(execFile)(CURL ?? 'curl', [
      '-s',
      '-H',
      `Authorization: Bearer ${user.token}`,
      '-F',
      `file=@${file}`,
      '-F',
      'type=meeting',
      `${origin}/v1/sessions/upload`
    ])
    const { id, status } = JSON.parse(stdout)
    expect(status).toBe('processing')
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject({ title: 'product review', type: 'meeting' })
  })
})

test('an upload may take longer to arrive than another request, only for callers with the scope', async () => {
  const { user } = await listening({}, { requestTimeoutMs: 4_500 })
  const stranger = await newUserOf(user, 'sessions:read')
  const head = (path: string, token: string, type: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`
  const path = '/v1/sessions/upload?file=a.vtt'
  const socket = connect(portOf(user.app), '127.0.0.1')
  const bytes = VTT + '\n'.repeat(200_000)
  let sent = 20
  socket.write(head(path, user.token, 'application/octet-stream', bytes.length) + bytes.slice(0, sent))
  // It arrives at more than the least speed.
  const drip = setInterval(() => {
    socket.write(bytes.slice(sent, sent + 4_000))
    sent += 4_000
  }, 200)
  // A request that began later is out of time, so the usual time has passed for the upload too.
  const late = await sendRaw(user.app, `${head('/v1/events/ack', user.token, 'application/json', 20)}{`)
  expect(late.status).toBe(408)
  const [refused] = await exchange(portOf(user.app), [head(path, stranger.token, 'application/octet-stream', 20), '-'])
  expect(refused?.status).toBe(403)
  clearInterval(drip)
  socket.write(bytes.slice(sent))
  const [answer] = await once(socket, 'data')
  socket.destroy()
  expect(String(answer)).toMatch(/^HTTP\/1\.1 202 /)
})

describe('the status of a session', () => {
  const failed = async (user: User, failure: string, fields: object = {}) => {
    const { body } = await user.post('/v1/sessions', { segments: SPOKEN, ...fields })
    await user.db.execute(
      sql`update sessions set state = 'failed', failure = ${failure} where user_id = ${user.id} and session_id = ${body.id}`
    )
    return String(body.id)
  }
  const statusOf = async (user: User, id: string) => {
    const { status, failure_reason } = (await user.get(`/v1/sessions/${id}`)).body
    return [status, failure_reason]
  }

  test('is processing, completed, or failed with a reason that names nothing of the server', async () => {
    const user = await newUser()
    const { body } = await user.post('/v1/sessions', DOCUMENT)
    expect(await statusOf(user, body.id)).toEqual(['processing', null])
    await completeSession(user.id, body.id)
    expect(await statusOf(user, body.id)).toEqual(['completed', null])
    expect(await statusOf(user, await failed(user, FAILURES.noSpeech))).toEqual(['failed', FAILURES.noSpeech])
    const [, reason] = await statusOf(user, await failed(user, 'There is no bucket secrets; correct MEDIA_URL'))
    expect(reason).toMatch(/^The server could not process the conversation/)
  })

  test('filters the list, which has only completed sessions without it', async () => {
    const user = await newUser()
    const at = (hour: number) => ({ timestamp: `2026-03-01T0${hour}:00:00Z`, tags: ['a'], folders: ['Clients'] })
    const done = await user.session(at(1))
    const broken = await failed(user, FAILURES.noSpeech, at(2))
    const { body: running } = await user.post('/v1/sessions', { segments: SPOKEN, ...at(3) })
    const gone = await user.session(at(4))
    await user.delete(`/v1/sessions/${gone}?permanently=false`)
    const ids = async (query: string) =>
      (await user.get(`/v1/sessions?${query}`)).body.sessions.map(({ id }: { id: string }) => id)
    for (const filter of ['', '&tag=a', '&folder=Clients', '&tag=a&folder=Clients', '&type=import']) {
      expect([filter, await ids(filter)]).toEqual([filter, [done]])
      expect(await ids(`status=completed${filter}`)).toEqual([done])
      expect(await ids(`status=processing${filter}`)).toEqual([running.id])
      expect(await ids(`status=failed${filter}`)).toEqual([broken])
      expect(await ids(`status=all${filter}`)).toEqual([running.id, broken, done])
    }
    const { sessions, next_cursor } = (await user.get('/v1/sessions?status=all&limit=2')).body
    expect(sessions[1]).toMatchObject({ id: broken, status: 'failed', failure_reason: FAILURES.noSpeech })
    expect(await ids(`status=all&limit=2&cursor=${next_cursor}`)).toEqual([done])
    expect((await user.get('/v1/sessions')).body.sessions[0]).not.toHaveProperty('status')
    expect(await user.get('/v1/sessions?status=deleted')).toEqual(refusal(400, 'status: send one of'))
    expect(await user.get('/v1/sessions?status=all&order=updated')).toEqual(refusal(400, 'status: leave it out'))
  })

  test('a failed session is processed again, a processing one is left alone, and a completed one is refused', async () => {
    const user = await newUser()
    const id = await failed(user, FAILURES.noSpeech)
    const answer = { status: 202, body: { id, status: 'processing', external_id: null } }
    expect(await user.post(`/v1/sessions/${id}/retry`)).toEqual(answer)
    expect(await user.post(`/v1/sessions/${id}/retry`)).toEqual(answer)
    expect(await statusOf(user, id)).toEqual(['processing', null])
    await completeSession(user.id, id)
    expect((await user.post(`/v1/sessions/${id}/retry`)).status).toBe(409)
    expect((await (await newUser()).post(`/v1/sessions/${id}/retry`)).status).toBe(404)
  })

  test('a session goes to the trash and comes back, and permanently=true empties it from there', async () => {
    const user = await newUser()
    const id = await user.session({ external_id: 'zoom-1' })
    const { body: before } = await user.get(`/v1/sessions/${id}`)
    for (const _ of [1, 2]) {
      expect(await user.delete(`/v1/sessions/${id}?permanently=false`)).toEqual({
        status: 200,
        body: { deleted: true, id }
      })
    }
    expect((await user.get(`/v1/sessions/${id}`)).status).toBe(404)
    expect((await user.delete(`/v1/sessions/${id}`)).status).toBe(404)
    expect((await (await newUser()).post(`/v1/sessions/${id}/restore`)).status).toBe(404)
    for (const _ of [1, 2]) {
      const restored = { status: 200, body: { id, status: 'completed', external_id: 'zoom-1' } }
      expect(await user.post(`/v1/sessions/${id}/restore`)).toEqual(restored)
    }
    expect((await user.get(`/v1/sessions/${id}`)).body).toEqual({ ...before, updated_at: expect.any(String) })
    const { body: feed } = await user.get('/v1/events')
    expect(feed.events.map(({ event }: { event: string }) => event)).toEqual([
      'session.completed',
      'session.deleted',
      'session.updated'
    ])
    await user.delete(`/v1/sessions/${id}?permanently=false`)
    expect((await user.delete(`/v1/sessions/${id}?permanently=true`)).status).toBe(200)
    expect((await user.post(`/v1/sessions/${id}/restore`)).status).toBe(404)
    expect(await user.delete(`/v1/sessions/${id}?permanently=maybe`)).toEqual(
      refusal(400, 'permanently: send true or false')
    )
  })

  test('without a parameter the deletion is final', async () => {
    const user = await newUser()
    const id = await user.session()
    expect((await user.delete(`/v1/sessions/${id}`)).status).toBe(200)
    expect((await user.post(`/v1/sessions/${id}/restore`)).status).toBe(404)
  })
})
