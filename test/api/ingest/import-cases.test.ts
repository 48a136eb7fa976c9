import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { summarizeOffline } from '../../../src/platform/ai/summarizer/summarize.ts'
import { plainAi } from '../../support/ai.ts'
import { completeSession, newUser } from '../../support/server.ts'

const FOLDER = 'test/fixtures/formats'
const BYTES = { 'content-type': 'application/octet-stream' }
const Q = 'Did the bank approve the loan?'
const A = 'Yes, they signed it yesterday.'
const OFFLINE = plainAi({ summarize: async conversation => summarizeOffline(conversation) })
const PEOPLE = ['Marta Lind', 'Oskar Berg']
const TALK = [`3–6 Marta Lind | ${Q}`, `6–9 Oskar Berg | ${A}`, '9–9 Marta Lind | Good.']

interface Expected {
  turns: string[]
  people?: string[]
  title?: string
  timestamp?: string
  language?: string
  duration?: number
  items?: object[]
}

async function upload(file: string) {
  const user = await newUser()
  const path = `/v1/sessions/upload?file=${file}`
  const sent = await user.post(path, readFileSync(join(FOLDER, file)), BYTES)
  return { user, sent }
}

test.each<[string, Expected]>([
  [
    'whispercpp-diarize.json',
    {
      turns: [`0–3.8 Speaker 0 | ${Q}`, `3.8–6.2 Speaker 1 | ${A}`, '6.2–9 Speaker | Mhm.'],
      language: 'en',
      duration: 9
    }
  ],
  ['whisper.tsv', { turns: [`0–3.8 Speaker | ${Q}`, `3.8–6.2 Speaker | ${A}`, '6.2–8.2 Speaker | Good.'] }],
  ['markdown-bold-time.md', { turns: TALK, people: PEOPLE, title: 'Orchard planning' }],
  [
    'zoom-saved-captions.txt',
    {
      turns: [
        '0–8 Marta Lind | Good afternoon, shall we start?',
        '8–209 Oskar Berg | Yes. The bank approved the loan.',
        "209–209 Marta Lind | Then I'll order the tractor by Friday."
      ],
      people: PEOPLE,
      duration: 209,
      items: [{ assignee: 'Marta Lind', due_date: '2026-03-06', source_start: 209 }]
    }
  ],
  [
    'meet-transcript.txt',
    {
      turns: [
        `0–178.378 Marta Lind | Good morning. ${Q}`,
        `178.378–300 Oskar Berg | ${A}`,
        "300–438.675 Marta Lind | Then I'll order the tractor by Friday.",
        '438.675–581 Oskar Berg | Good. The plough can wait until autumn.'
      ],
      people: PEOPLE,
      title: 'Orchard planning',
      timestamp: '2026-03-02T09:00:00.000Z',
      duration: 581,
      items: [{ assignee: 'Marta Lind', due_date: '2026-03-06', source_start: 300 }]
    }
  ],
  [
    'fathom.txt',
    {
      turns: TALK.map(turn => turn.replace('Marta Lind', 'Marta Lind (Acme)')),
      people: ['Marta Lind (Acme)', 'Oskar Berg'],
      title: 'Orchard planning - March 02'
    }
  ],
  ['rev.txt', { turns: [`0–6 Marta Lind | ${Q}`, ...TALK.slice(1)], people: PEOPLE }],
  ['teams-copied.txt', { turns: [`3–6 Marta Lind | ${Q}`, `6–6 Oskar Berg | ${A}`], people: PEOPLE }],
  ['podcast-namespace.json', { turns: [`0.5–3.8 Marta | ${Q}`, `3.8–6.2 Oskar | ${A}`], people: ['Marta', 'Oskar'] }],
  ['hf-pipeline.json', { turns: [`0–3.8 Speaker | ${Q}`, `3.8–3.8 Speaker | ${A}`] }],
  ['assemblyai.json', { turns: [`0.1–3.8 Speaker A | ${Q}`, `3.8–6.2 Speaker B | ${A}`], language: 'en', duration: 7 }],
  ['nan.json', { turns: [`0–3.8 Speaker | ${Q}`], language: 'en' }],
  ['podcast-namespace.html', { turns: [`0–4 Marta | ${Q}`, `4–4 Oskar | ${A}`], people: ['Marta', 'Oskar'] }],
  [
    'youtube.sbv',
    {
      turns: [`1–4 MARTA | ${Q}`, '4.2–6 OSKAR | Yes, they signed it yesterday, and the papers are here.'],
      people: ['MARTA', 'OSKAR']
    }
  ],
  ['lyrics.lrc', { turns: [`1–4.2 Speaker | ${Q}`, `4.2–4.2 Speaker | ${A}`], title: 'Interview' }],
  ['descript.md', { turns: TALK, people: PEOPLE }],
  [
    'tencent.txt',
    {
      turns: [
        '3–6 李雷 | 银行批准贷款了吗？',
        '6–9 韩梅梅 | 批准了，昨天签的字。',
        '9–9 李雷 | 好的，我星期五订拖拉机。'
      ],
      people: ['李雷', '韩梅梅']
    }
  ],
  [
    'teams-docx-text.txt',
    { turns: [`3–6 Marta Lind | ${Q}`, `6–6 Oskar Berg | ${A}`], people: PEOPLE, timestamp: '2026-03-02T09:00:00.000Z' }
  ]
])('%s becomes what was said, by whom and when', async (file, expected) => {
  const { user, sent } = await upload(file)
  expect(sent.status).toBe(202)
  await completeSession(user.id, sent.body.id, OFFLINE)
  const { body: session } = await user.get(`/v1/sessions/${sent.body.id}`)
  const { body: transcript } = await user.get(`/v1/sessions/${sent.body.id}/transcript`)
  const { body: people } = await user.get('/v1/people')
  const turns = transcript.segments.map(
    ({ speaker, start, end, text }: { speaker: string; start: number; end: number; text: string }) =>
      `${start}–${end} ${speaker} | ${text}`
  )
  const { turns: said, people: named = [], items = [], duration, ...about } = expected
  expect(turns).toEqual(said)
  expect(people.people.map(({ name }: { name: string }) => name).toSorted()).toEqual(named.toSorted())
  expect(session).toMatchObject({ ...about, ...(duration !== undefined && { duration_seconds: duration }) })
  expect(session.action_items).toMatchObject(items)
})

test.each([['subtitles.ass', 'SubStation Alpha (ASS)']])(
  '%s is refused by its name, and nothing is stored',
  async (file, name) => {
    const { user, sent } = await upload(file)
    expect({ status: sent.status, message: sent.body.error.message }).toEqual({
      status: 400,
      message: expect.stringContaining(name)
    })
    expect((await user.get('/v1/sessions')).body.sessions).toEqual([])
  }
)
