import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newUser } from '../../support/server.ts'

const FOLDER = 'test/fixtures/tools'
const Q = 'Did the bank approve the loan?'
const A = 'Yes, they signed it yesterday.'

/** A talk whose second turn lasts three seconds, or has no known end. */
const talk = (first: string, second: string, end = 9) => [`3–6 ${first} | ${Q}`, `6–${end} ${second} | ${A}`]
const NAMES = talk('Marta Lind', 'Oskar Berg', 6)
const NAMED_CUES = talk('Marta Lind', 'Oskar Berg')
const UNKNOWN = talk('Speaker', 'Speaker')
const NUMBERED = talk('Speaker 0', 'Speaker 1')
const MEET = ['Orchard planning, 2026-03-02T09:00:00.000Z, 60 s', `0–30 Marta Lind | ${Q}`, `30–60 Oskar Berg | ${A}`]

/** By file: title, date, language and length as far as the file knows them, and the turns. */
const EXPECTED: Record<string, string[]> = {
  'amazon-transcribe.json': ['en, 9 s', ...talk('spk_0', 'spk_1')],
  'apple-podcasts.ttml': ['en, 9 s', '3–6 SPEAKER_1 | Did they?', '6–9 SPEAKER_2 | Yes, yesterday.'],
  'assemblyai.json': ['en, 9 s', ...talk('Speaker A', 'Speaker B')],
  'audacity.txt': ['9 s', ...UNKNOWN],
  'azure-speech.json': ['en, 9 s', ...talk('Speaker 1', 'Speaker 2')],
  'broadcast.dfxp': ['en, 9 s', ...UNKNOWN],
  'deepgram.json': ['en, 9 s', ...NUMBERED],
  'dote.json': ['9 s', ...NAMED_CUES],
  'elan.txt': ['9 s', ...NAMED_CUES],
  'fathom.json': ['Orchard planning, 2026-03-02T09:00:00.000Z, 6 s', ...NAMES],
  'fireflies.json': ['Orchard planning, 2026-03-02T09:00:00.000Z, 9 s', ...NAMED_CUES],
  'ibm.json': ['9 s', '3–6 Speaker 0 | did the bank approve the loan', '6–9 Speaker 1 | yes they signed it yesterday'],
  'meeting-bot.json': ['9 s', ...NAMED_CUES],
  'nvivo.txt': ['9 s', ...NAMED_CUES],
  'otranscribe.otr': ['6 s', ...NAMES],
  'premiere.json': ['en, 9 s', ...NAMED_CUES],
  'vosk.jsonl': ['9 s', '3–6 Speaker | did the bank approve the loan', '6–9 Speaker | yes they signed it yesterday'],
  'youtube-srv3.xml': ['9 s', ...UNKNOWN],
  'descript.md': ['6 s', ...NAMES],
  'elevenlabs.json': ['en, 9 s', ...talk('speaker_0', 'speaker_1')],
  'fathom.txt': ['Orchard planning, 6 s', ...talk('Marta Lind (Acme)', 'Oskar Berg', 6)],
  'fireflies.txt': ['6 s', ...NAMES],
  'gladia.json': ['en, 9 s', ...NUMBERED],
  'google-meet.docx': MEET,
  'google-meet.md': MEET,
  'google-meet.txt': MEET,
  'google-speech.json': ['en, 9 s', ...talk('Speaker 1', 'Speaker 2')],
  'grain.txt': ['6 s', ...NAMES],
  'happy-scribe.txt': ['6 s', `3.15–6 Marta Lind | ${Q}`, NAMES[1]!],
  'hugging-face.json': ['9 s', ...UNKNOWN],
  'insanely-fast-whisper.json': ['9 s', ...talk('SPEAKER_00', 'SPEAKER_01')],
  'openai.json': ['en, 9 s', ...UNKNOWN],
  'otter.txt': ['Orchard planning, 2026-03-02T10:00:00.000Z, 60 s', ...NAMES],
  'parlance.md': ['Orchard planning, 6 s', ...NAMES],
  'podcast-namespace.html': ['6 s', ...NAMES],
  'podcast-namespace.json': ['9 s', ...NAMED_CUES],
  'rev-ai.json': ['9 s', ...NUMBERED],
  'rev.txt': ['6 s', ...NAMES],
  'speechmatics.json': ['en, 9 s', ...talk('S1', 'S2')],
  'tactiq.txt': ['6 s', ...NAMES],
  'teams-copied.txt': ['6 s', ...NAMES],
  'teams.docx': ['Orchard planning, 2026-03-02T09:00:00.000Z, 60 s', ...NAMES],
  'teams.vtt': ['9 s', ...NAMED_CUES],
  'tencent-meeting.txt': ['6 s', '3–6 李雷 | 银行批准贷款了吗？', '6–6 韩梅梅 | 批准了，昨天签的字。'],
  'tldv.txt': ['Orchard planning, 6 s', ...NAMES],
  'transcriptonic.txt': ['60 s', `0–60 Marta Lind | ${Q}`, `60–60 Oskar Berg | ${A}`],
  'whisper-cpp.srt': [
    '9 s',
    `0–3.8 Speaker 0 | ${Q}`,
    `3.8–6.2 Speaker 1 | ${A}`,
    '6.2–8.2 Speaker 0 | Good.',
    '8.2–9 Speaker | Mhm.'
  ],
  'whisper-cpp.csv': ['9 s', ...UNKNOWN],
  'whisper-cpp.json': ['en, 9 s', ...NUMBERED],
  'whisper.json': ['en, 9 s', ...UNKNOWN],
  'whisper.tsv': ['9 s', ...UNKNOWN],
  'whisperx.srt': ['4 s', '0–2.9 SPEAKER_00 | We ship the red pump on Monday.', '3–4 SPEAKER_01 | Who signs?'],
  'whisperx.json': ['en, 9 s', ...talk('SPEAKER_00', 'SPEAKER_01')],
  'youtube.vtt': [
    'en, 8 s',
    '0.16–2.32 Speaker | the orchard needs water',
    '2.32–5.2 Speaker | twice a week in July',
    '5.2–8 Speaker | and the pump costs 900 euros'
  ],
  'youtube.json3': ['9 s', '3–6 Speaker | did the bank approve', '6–9 Speaker | the loan'],
  'youtube.sbv': ['9 s', ...talk('MARTA', 'OSKAR')],
  'zoom-captions.txt': ['3 s', `0–3 Marta Lind | ${Q}`, `3–3 Oskar Berg | ${A}`],
  'zoom.vtt': ['9 s', ...NAMED_CUES]
}

test('each row of the table of tools has its example, and each example its row', () => {
  const guide = readFileSync('docs/import-formats.md', 'utf8')
  const rows = [...guide.matchAll(/^\| [^|]+ \| [^|]+ \| [^|]+ \| `([^`|]+)` \|$/gm)].map(([, file]) => file)
  expect(rows.toSorted()).toEqual(readdirSync(FOLDER).toSorted())
  expect(rows.toSorted()).toEqual(Object.keys(EXPECTED).toSorted())
})

test.each(Object.entries(EXPECTED))('an upload of %s gives its transcript', async (file, expected) => {
  const user = await newUser()
  const sent = await user.post(`/v1/sessions/upload?file=${file}`, readFileSync(join(FOLDER, file)), {
    'content-type': 'application/octet-stream'
  })
  expect({ status: sent.status, warnings: sent.body.warnings }).toEqual({ status: 202, warnings: undefined })
  const { body: session } = await user.get(`/v1/sessions/${sent.body.id}`)
  const { body: transcript } = await user.get(`/v1/sessions/${sent.body.id}/transcript`)
  const title = session.title === file.replace(/\.\w+$/, '').replaceAll('_', ' ') ? null : session.title
  const { timestamp, language, duration_seconds: seconds } = session
  const about = [title, timestamp, language, `${seconds} s`].filter(value => value !== null).join(', ')
  const turns = transcript.segments.map(
    ({ speaker, start, end, text }: { speaker: string; start: number; end: number; text: string }) =>
      `${start}–${end} ${speaker} | ${text}`
  )
  expect([about, ...turns]).toEqual(expected)
})
