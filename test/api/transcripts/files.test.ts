import { describe, expect, test } from 'vitest'
import { parseDocument } from '../../../src/features/transcript-formats/parse.ts'
import { acceptSession, newUser } from '../../support/server.ts'
import { ALL_SHARED, changeShareScope, newSharer, sharedSession } from '../../support/sharing.ts'

const WITHOUT_TIMES = { segments: [{ speaker: 'Ada', text: 'Good morning.' }] }
const VTT = `WEBVTT

segment-1
00:00:00.000 --> 00:00:04.500
<v Ada>Welcome to the weekly review.

segment-2
00:00:04.500 --> 00:00:09.000
<v Ben>I'll send the offer.
`
const SRT = `1
00:00:00,000 --> 00:00:04,500
Ada: Welcome to the weekly review.

2
00:00:04,500 --> 00:00:09,000
Ben: I'll send the offer.
`
const TXT = "Ada: Welcome to the weekly review.\nBen: I'll send the offer.\n"
const MD =
  "# Weekly review\n\n**Ada** (00:00:00): Welcome to the weekly review.\n\n**Ben** (00:00:04.500–00:00:09): I'll send the offer.\n"
const FILES = [
  ['vtt', 'text/vtt', VTT],
  ['srt', 'application/x-subrip', SRT],
  ['txt', 'text/plain', TXT],
  ['md', 'text/markdown', MD]
] as const

function refusal(status: number, code: string, message: string) {
  return { status, body: { error: { code, message } } }
}

const NO_TIMES = refusal(409, 'conflict', 'format: the transcript has no times; read it as txt or md')

describe('GET /v1/sessions/{id}/transcript.{format}', () => {
  test.each(FILES)('answers with %s as %s', async (format, type, body) => {
    const user = await newUser('transcripts:read')
    const id = await user.session()
    const answer = await user.send(`/v1/sessions/${id}/transcript.${format}`)
    expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([200, `${type}; charset=utf-8`, body])
  })

  test('names the file by the title, in letters and digits, and in ASCII for old programs; JSON has no name', async () => {
    const user = await newUser('transcripts:read')
    const nameOf = async (title: string, url = 'transcript.vtt', headers = {}) =>
      (await user.send(`/v1/sessions/${await user.session({ title })}/${url}`, headers)).headers['content-disposition']
    const named = (plain: string, name: string) => `attachment; filename="${plain}"; filename*=UTF-8''${name}`
    expect(await nameOf('Büro: "Zug" \r\n; x=1')).toBe(
      named('B_ro_ _Zug_ ___ x_1.vtt', 'B%C3%BCro_%20_Zug_%20___%20x_1.vtt')
    )
    // Vowel signs belong to letters; marks of direction would show another ending than the file has.
    expect(await nameOf('हिन्दी \u202egpj')).toBe(named('______ _gpj.vtt', `${encodeURIComponent('हिन्दी _gpj')}.vtt`))
    expect(await nameOf('😀'.repeat(200))).toBe(named(`${'_'.repeat(50)}.vtt`, `${'_'.repeat(50)}.vtt`))
    const accept = { accept: 'text/markdown' }
    expect(await nameOf('Weekly', 'transcript', accept)).toBe(named('Weekly.md', 'Weekly.md'))
    expect(await nameOf('Weekly', 'transcript')).toBeUndefined()
  })

  test.each(['vtt', 'srt'])('refuses %s of a source without times, and without a transcript', async format => {
    const user = await newUser('transcripts:read')
    for (const id of [
      await user.session(WITHOUT_TIMES),
      await acceptSession(user.id, { segments: undefined, media: { audio: 'https://media.example/a' } })
    ])
      expect(await user.get(`/v1/sessions/${id}/transcript.${format}`)).toEqual(NO_TIMES)
  })

  test('returns the text of a source without times, and an empty one without a transcript', async () => {
    const user = await newUser('transcripts:read')
    const spoken = await user.session(WITHOUT_TIMES)
    const silent = await acceptSession(user.id, { segments: undefined, media: { audio: 'https://media.example/a' } })
    expect(await user.get(`/v1/sessions/${spoken}/transcript.txt`)).toEqual({
      status: 200,
      body: 'Ada: Good morning.\n'
    })
    expect(await user.get(`/v1/sessions/${spoken}/transcript.md`)).toEqual({
      status: 200,
      body: '# Weekly review\n\n**Ada**: Good morning.\n'
    })
    expect(await user.get(`/v1/sessions/${silent}/transcript.txt`)).toEqual({ status: 200, body: '' })
    expect(await user.get(`/v1/sessions/${silent}/transcript.md`)).toEqual({ status: 200, body: '# Weekly review\n' })
  })

  test('returns WebVTT that imports as the same segments', async () => {
    const user = await newUser('transcripts:read', 'sessions:read')
    const text = 'We talk for a long time about the new offer and why it has to leave this week. '.repeat(9).trim()
    const segments = [
      { speaker: 'Ada', start: 0, end: 60, text },
      { speaker: 'Ben', start: 12.345, end: 12.345, text: 'Yes & <no>.' },
      { speaker: 'Ada', start: 3_700, end: 3_760, text: 'Hm.' }
    ]
    const id = await user.session({ segments })
    const { body: file } = await user.get(`/v1/sessions/${id}/transcript.vtt`)
    const again = await user.session(parseDocument('a.vtt', file).document)
    expect((await user.get(`/v1/sessions/${again}/transcript`)).body.segments).toEqual(segments)
  })

  test('refuses another format, and names the existing ones', async () => {
    const user = await newUser('transcripts:read')
    const id = await user.session()
    expect(await user.get(`/v1/sessions/${id}/transcript.pdf`)).toEqual(
      refusal(400, 'invalid_request', 'format: send one of txt, md, vtt, srt')
    )
  })
})

describe('Accept on GET /v1/sessions/{id}/transcript', () => {
  test.each(FILES)('answers with %s for %s', async (_, type, body) => {
    const user = await newUser('transcripts:read')
    const id = await user.session()
    const answer = await user.send(`/v1/sessions/${id}/transcript`, { accept: type })
    expect([answer.status, answer.headers['content-type'], answer.headers.vary, answer.body]).toEqual([
      200,
      `${type}; charset=utf-8`,
      'Accept',
      body
    ])
  })

  test.each([
    'application/json',
    '*/*',
    'application/json, text/plain, */*',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/html',
    'text/vtt;q=0',
    'nonsense',
    ''
  ])('answers with JSON for %j', async accept => {
    const user = await newUser('transcripts:read')
    const id = await user.session()
    const { status, body } = await user.send(`/v1/sessions/${id}/transcript`, { accept })
    expect([status, body]).toEqual([200, (await user.get(`/v1/sessions/${id}/transcript`)).body])
  })

  test('prefers what the client prefers', async () => {
    const user = await newUser('transcripts:read')
    const id = await user.session()
    const { body } = await user.send(`/v1/sessions/${id}/transcript`, { accept: 'application/json;q=0.5, text/vtt' })
    expect(body).toBe(VTT)
  })

  test('refuses captions of a source without times', async () => {
    const user = await newUser('transcripts:read')
    const id = await user.session(WITHOUT_TIMES)
    const { headers: _, ...answer } = await user.send(`/v1/sessions/${id}/transcript`, { accept: 'text/vtt' })
    expect(answer).toEqual(refusal(409, 'conflict', 'Accept: the transcript has no times; read it as txt or md'))
  })
})

describe('start and end', () => {
  const segments = [
    { speaker: 'Ada', start: 0, end: 10, text: 'One.' },
    { speaker: 'Ben', start: 10, end: 10, text: 'Two.' },
    { speaker: 'Ada', start: 10, end: 20, text: 'Three.' },
    { speaker: 'Ben', start: 15, end: 30, text: 'Four.' }
  ]

  test.each([
    ['', ['One.', 'Two.', 'Three.', 'Four.']],
    ['?start=0', ['One.', 'Two.', 'Three.', 'Four.']],
    ['?start=9.999&end=10', ['One.']],
    ['?start=10', ['Two.', 'Three.', 'Four.']],
    ['?start=10&end=10.001', ['Two.', 'Three.']],
    ['?start=20&end=25.5', ['Four.']],
    ['?end=15', ['One.', 'Two.', 'Three.']],
    ['?start=30', []]
  ])('%j keep the segments that are partly within', async (query, texts) => {
    const user = await newUser('transcripts:read')
    const id = await user.session({ segments })
    const { body } = await user.get(`/v1/sessions/${id}/transcript${query}`)
    expect(body.segments.map(({ text }: { text: string }) => text)).toEqual(texts)
    expect(body.transcript.match(/[A-Z][a-z]+\./g) ?? []).toEqual(texts)
    for (const format of ['vtt', 'srt', 'txt', 'md'])
      expect(
        (await user.get(`/v1/sessions/${id}/transcript.${format}${query}`)).body.match(/[A-Z][a-z]+\./g) ?? [],
        format
      ).toEqual(texts)
  })

  test.each([
    ['start=x', 'start: send a number of seconds, such as 90 or 12.5'],
    ['start=-1', 'start: send a number of seconds, such as 90 or 12.5'],
    ['end=1e3', 'end: send a number of seconds, such as 90 or 12.5'],
    ['end=1&end=2', 'end: send it once'],
    ['start=5&end=5', 'end: send a time after start'],
    ['end=0', 'end: send a time after start']
  ])('refuse %s', async (query, message) => {
    const user = await newUser('transcripts:read')
    const id = await user.session()
    for (const path of ['transcript', 'transcript.txt'])
      expect(await user.get(`/v1/sessions/${id}/${path}?${query}`)).toEqual(refusal(400, 'invalid_request', message))
  })

  test('are refused for a source without times', async () => {
    const user = await newUser('transcripts:read')
    const id = await user.session(WITHOUT_TIMES)
    for (const path of ['transcript', 'transcript.txt', 'transcript.md'])
      expect(await user.get(`/v1/sessions/${id}/${path}?start=1`)).toEqual(
        refusal(409, 'conflict', 'start: the transcript has no times; leave out start and end')
      )
  })
})

describe('shared transcripts as files', () => {
  async function share(document: object = {}) {
    const { path, ...shared } = await sharedSession(document)
    return { ...shared, path: `${path}/transcript` }
  }

  test.each(FILES)('are read as %s, by path and by Accept', async (format, type, body) => {
    const { recipient, path } = await share()
    expect(await recipient.get(`${path}.${format}`)).toEqual({ status: 200, body })
    const answer = await recipient.send(path, { accept: type })
    expect([answer.headers['content-type'], answer.headers.vary, answer.body]).toEqual([
      `${type}; charset=utf-8`,
      'Accept',
      body
    ])
  })

  test('are limited by start and end', async () => {
    const { recipient, path } = await share()
    expect((await recipient.get(`${path}?start=4.5`)).body.segments).toEqual([
      { speaker: 'Ben', start: 4.5, end: 9, text: "I'll send the offer." }
    ])
    expect((await recipient.get(`${path}.txt?end=4.5`)).body).toBe('Ada: Welcome to the weekly review.\n')
  })

  test('are refused as captions where the source has no times', async () => {
    const { recipient, path } = await share(WITHOUT_TIMES)
    expect(await recipient.get(`${path}.vtt`)).toEqual(NO_TIMES)
  })

  test('are not found where the transcript is not shared, nor by a stranger', async () => {
    const { owner, recipient, id, path } = await share()
    await changeShareScope(owner, id, { ...ALL_SHARED, transcript: false })
    expect(await recipient.get(`${path}.vtt`)).toEqual(refusal(404, 'not_found', 'Shared transcript not found'))
    expect(await (await newSharer()).get(`${path}.vtt`)).toEqual(refusal(404, 'not_found', 'Shared session not found'))
  })
})
