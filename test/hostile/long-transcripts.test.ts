import { expect, test } from 'vitest'
import { UNLIMITED } from '../faults/load.ts'
import { LAST_TEXT, withLongTranscript } from '../support/long-transcript.ts'

const SLOW = { timeout: 900_000 }
const MAX_LOOP_MS = 100

test('a file of a transcript of 50,000 segments holds the event loop for less than 100 ms', SLOW, async () => {
  const { id, ask, measure } = await withLongTranscript(UNLIMITED)
  for (const format of ['vtt', 'srt', 'txt', 'md']) {
    const run = () => ask('GET', `/v1/sessions/${id}/transcript.${format}`)
    const { answer, loopMs } = await measure(run)
    expect([format, answer.status]).toEqual([format, 200])
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.text)))
    expect(answer.text).toContain(LAST_TEXT)
    expect({ format, loopMs }).toEqual({ format, loopMs: expect.toSatisfy(ms => ms < MAX_LOOP_MS) })
  }
})

test('a correction of it, and the answers with it whole, hold the event loop for less than 100 ms', SLOW, async () => {
  const { id, ask, measure } = await withLongTranscript(UNLIMITED)
  const path = `/v1/sessions/${id}/speakers`
  let from = 'Ada'
  for (const name of ['Grace', 'Ada', 'Grace']) {
    const corrected = await measure(() => ask('PATCH', path, { from, name, extra: true }))
    from = name
    const read = await measure(() => ask('GET', `/v1/sessions/${id}/transcript`))
    for (const { answer } of [corrected, read]) {
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
      expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.text)))
    }
    const { warnings, ...transcript } = JSON.parse(corrected.answer.text)
    expect(warnings).toEqual([expect.stringContaining('extra: ignored')])
    expect(JSON.stringify(transcript)).toBe(read.answer.text)
    expect(transcript.segments.at(-1)).toMatchObject({ text: LAST_TEXT })
    const loopMs = { corrected: corrected.loopMs, read: read.loopMs }
    const isShort = expect.toSatisfy(ms => ms < MAX_LOOP_MS)
    expect(loopMs).toEqual({ corrected: isShort, read: isShort })
    const etag = String(read.answer.headers.get('etag'))
    const again = await ask('GET', `/v1/sessions/${id}/transcript`, undefined, { 'if-none-match': etag })
    expect([again.status, again.text]).toEqual([304, ''])
  }
})

test('a correction of its lines holds the event loop for less than 100 ms', SLOW, async () => {
  const { id, ask, measure } = await withLongTranscript(UNLIMITED)
  const path = `/v1/sessions/${id}/transcript`
  for (const [version, text] of ['Once more.', 'And again.'].entries()) {
    const body = {
      segments: [
        { index: 25_000, text },
        { index: 49_999, text: null }
      ].slice(0, 2 - version)
    }
    const { answer, loopMs } = await measure(() => ask('PATCH', path, body, { 'if-match': '*' }))
    expect([answer.status, JSON.parse(answer.text).lines.map((one: { text: string }) => one.text)]).toEqual([
      200,
      [text]
    ])
    expect(loopMs).toBeLessThan(MAX_LOOP_MS)
  }
  const original = await ask('GET', `${path}?original=true`)
  expect(JSON.parse(original.text).segments.at(-1)).toMatchObject({ text: LAST_TEXT })
})

test(
  'of twenty corrections of it at once, each is made, or refused with 503 and when to come again',
  SLOW,
  async () => {
    const { id, ask } = await withLongTranscript(UNLIMITED)
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const change = { from: 'Ada', segments: [at * 3], name: `Guest ${at}` }
        const { status, headers } = await ask('PATCH', `/v1/sessions/${id}/speakers`, change)
        return { status, retryAfter: headers.get('retry-after') }
      })
    )
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toEqual(refused.map(() => ({ status: 503, retryAfter: expect.stringMatching(/^[1-9]\d*$/) })))
    const { text } = await ask('GET', `/v1/sessions/${id}/transcript.txt`)
    expect(new Set(text.match(/^Guest \d+(?=:)/gm)).size).toBe(answers.length - refused.length)
  }
)
