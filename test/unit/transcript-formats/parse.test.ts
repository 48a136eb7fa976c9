import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packTranscript } from '../../../src/contract/packed-document.ts'
import { parseDocument } from '../../../src/features/transcript-formats/parse.ts'
import { UnreadableTranscript } from '../../../src/features/transcript-formats/transcript.ts'
import type { Segment } from '../../../src/platform/text/segment.ts'
import { parseTranscript } from '../../support/transcript.ts'

function said(speaker: string, start: number | null, end: number | null, text: string) {
  return { speaker, start, end, text }
}

function segments(fileName: string, ...lines: string[]) {
  return parseTranscript(fileName, lines.join('\n')).segments
}

function refusal(fileName: string, content: string) {
  try {
    return parseTranscript(fileName, content)
  } catch (error) {
    return error
  }
}

test('reads the file format that the content shows where the extension says another', () => {
  const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHi'
  const srt = '1\n00:00:01,000 --> 00:00:02,000\nHi\n'
  const whisper = '{"text":" Hi","segments":[{"start":1,"end":2,"text":" Hi"}],"language":"en"}'
  const hi = [said('Speaker', 1, 2, 'Hi')]
  expect([
    segments('a.srt', vtt),
    segments('a.txt', vtt),
    segments('a.json', vtt),
    segments('A.VTT', srt),
    segments('a.txt', srt),
    segments('a.json', srt),
    segments('a', srt),
    segments('a.txt', whisper),
    segments('a.vtt', whisper)
  ]).toEqual([hi, hi, hi, hi, hi, hi, hi, hi, hi])
})

test.each([
  ['an empty file', 'a.txt', '', 'The file is empty.'],
  ['nothing but NUL', 'a.srt', '\0\0\0', 'The file is empty.'],
  ['nothing but blanks', 'a.vtt', '\ufeff \r\n\u200b', 'The file is empty.'],
  [
    'a binary file',
    'a.txt',
    '\u0001\u0002\u0003ID3\u0004\u0005',
    'The file is not plain text: send a .vtt, .srt, .txt or .json file, or a recording under its own extension, such as .mp3.'
  ],
  [
    'a PDF',
    'minutes.txt',
    '%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>',
    'The file is a PDF: save its text as .txt and send that.'
  ],
  [
    'RTF',
    'minutes.rtf',
    '{\\rtf1\\ansi Ada: Hello',
    'The file is an RTF document: save its text as .txt and send that.'
  ],
  [
    'a web page',
    'minutes.html',
    '\n<!DOCTYPE html><p>Ada: Hello',
    'The file is a web page: save its text as .txt and send that.'
  ],
  [
    'captions without a cue',
    'a.vtt',
    'WEBVTT\n\nHi',
    'The file has no cue: each starts with a line like 00:00:01.000 --> 00:00:04.000.'
  ],
  ['cues without text', 'a.srt', '1\n00:00:01,000 --> 00:00:02,000\n\n', 'The file holds no speech.'],
  ['names without text', 'a.txt', 'Ada:\nBob:\n', 'The file holds no speech.'],
  ['broken JSON', 'a.json', '{"segments":\n[1 2', 'The file is not valid JSON at line 2, column 4.'],
  ['text in a JSON file', 'a.json', 'hello', 'The file is not valid JSON.'],
  [
    'JSON without speech',
    'a.json',
    '{"segments":[]}',
    'the document has neither speech nor media; expected segments with text, or media'
  ],
  [
    'a faulty document',
    'a.json',
    '{"segments":[{"text":"a"},{"text":1}]}',
    'segments.1.text: expected a text of at most 1000000 characters'
  ],
  [
    'JSON nested too deep to be a document',
    'a.json',
    '['.repeat(100_000) + ']'.repeat(100_000),
    'The JSON is not a transcript of a known tool, and not an import document: it is a list.'
  ]
])('refuses %s', (_, fileName, content, message) => {
  const error = refusal(fileName, content)
  expect(error).toBeInstanceOf(UnreadableTranscript)
  expect(error).toMatchObject({ message })
})

test.each([
  ['a.vtt', 'WEBVTT\n\n00:00:01.000 --> 277777:46:40.000\nHi', 'Line 3 does not hold the times of a cue'],
  [
    'a.json',
    '{"text":"Hi","segments":[{"start":0,"end":1e9,"text":"Hi","seek":0}]}',
    'segments.0.end: expected a number of seconds from 0 to 999999999.'
  ],
  [
    'a.json',
    '{"segments":[{"start":0,"end":1e9,"text":"Hi"}]}',
    'segments.0.end: expected a number of seconds from 0 to 999999999'
  ]
])('refuses times in %s that no recording has', (fileName, content, message) => {
  expect(refusal(fileName, content)).toMatchObject({ message: expect.stringContaining(message) })
})

test('names the line whose times cannot be read', () => {
  const error = refusal('a.srt', '1\n00:00:01,000 --> 00:00:02,000\nHi\n\n2\n00:00:0x,000 --> 00:00:04,000\nHo')
  expect(error).toMatchObject({
    line: 6,
    message: 'Line 6 does not hold the times of a cue: write them as 00:00:01.000 --> 00:00:04.000.'
  })
})

test('removes NUL and halves of surrogate pairs', () => {
  expect(segments('a.txt', 'Ada\0: one\ud800 two\0 \u{1f600}')).toEqual([said('Ada', null, null, 'one two \u{1f600}')])
})

test('makes an import document of a transcript, and hands on the one that a file holds', () => {
  expect(parseDocument('a.srt', '1\n00:00:01,000 --> 00:00:02,500\nHi')).toEqual({
    document: { segments: [said('Speaker', 1, 2.5, 'Hi')], language: null, duration_seconds: 2.5 },
    warnings: [],
    startedAt: null
  })
  expect(parseDocument('a.json', '{"title":"Weekly","titel":"Weekly","segments":[{"text":"Hi"}]}')).toEqual({
    document: { title: 'Weekly', segments: [said('Speaker', null, null, 'Hi')] },
    warnings: ['titel: ignored, because an import document has no such key'],
    startedAt: null
  })
})

test.each([
  [
    'a voice of WebVTT',
    'a.vtt',
    'WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ada Lovelace>Hi.\n\n00:03.000 --> 00:04.000\n<v Speaker 2>Ho.'
  ],
  [
    'a name in front of the text, as Zoom writes it',
    'a.vtt',
    'WEBVTT\n\n00:01.000 --> 00:03.000\nAda Lovelace: Hi.\n\n00:03.000 --> 00:04.000\nGuest: Ho.'
  ],
  ['a header of Otter', 'a.txt', 'Ada Lovelace  0:12\nHi.\n\nUnknown Speaker  0:15\nHo.\n'],
  [
    'Whisper with names',
    'a.json',
    JSON.stringify({
      text: '',
      segments: [
        { seek: 0, speaker: 'Ada Lovelace', text: 'Hi.' },
        { speaker: 'SPEAKER_00', text: 'Ho.' }
      ]
    })
  ]
])('a name makes a person, and a made-up label does not: %s', (_, fileName, content) => {
  expect(parseDocument(fileName, content).document.speakers).toEqual([
    { label: 'Ada Lovelace', person: 'Ada Lovelace', is_me: false }
  ])
})

test('reads the segments, language and duration of an import document', () => {
  const document = {
    language: 'de',
    duration_seconds: 9,
    segments: [{ speaker: 'Ada', start: 1, end: 2, text: 'Hallo' }]
  }
  expect(parseTranscript('a.json', JSON.stringify(document))).toEqual({
    segments: [said('Ada', 1, 2, 'Hallo')],
    language: 'de',
    durationSeconds: 9
  })
})

const fragment = fc.constantFrom(
  'WEBVTT',
  '00:00:01.000 --> 00:00:02.000',
  '1:',
  '-->',
  '<v Ada>',
  '<',
  '>',
  '&#0;',
  '&#xd800;',
  '{\\an8}',
  '{"text":',
  '"segments":[',
  ']}',
  '[00:12]',
  'Ada: ',
  'NOTE',
  '\n',
  '\n\n',
  '\r',
  '\0',
  '\ud800',
  ' ',
  '99999999999999999999:00',
  '**',
  '('
)
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(fc.oneof(fragment, fc.string({ maxLength: 5 })), { maxLength: 60 }).map(parts => parts.join(''))
)
const fileName = fc.constantFrom('a.vtt', 'a.srt', 'a.txt', 'a.json', 'a')

test('answers any text with storable segments or a refusal', () => {
  fc.assert(
    fc.property(fileName, hostile, (name, content) => {
      const outcome = refusal(name, content)
      const faulty =
        outcome instanceof Error
          ? !(outcome instanceof UnreadableTranscript) || outcome.message.includes('cannot be read')
          : !isSound(outcome)
      expect(faulty).toBe(false)
    }),
    { numRuns: 3000 }
  )
})

test('answers any JSON with storable segments or a refusal', () => {
  const key = fc.constantFrom(
    'segments',
    'transcription',
    'text',
    'start',
    'end',
    'offsets',
    'from',
    'to',
    'speaker',
    'language',
    '__proto__'
  )
  const leaf = fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null))
  const { json } = fc.letrec<{ json: unknown }>(tie => ({
    json: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(key, tie('json'), { maxKeys: 4 })
    )
  }))
  fc.assert(
    fc.property(json, value => {
      const outcome = refusal('a.json', JSON.stringify(value))
      expect(outcome instanceof UnreadableTranscript || isSound(outcome)).toBe(true)
    }),
    { numRuns: 2000 }
  )
})

test.each([
  ['a line of a megabyte', '1:'.repeat(600_000)],
  ['unclosed tags', '<v '.repeat(400_000)],
  ['blanks before a character', `00:00:01.000 --> 00:00:02.000${' '.repeat(1_000_000)}x`],
  ['digits before an arrow', `1:${'1'.repeat(1_000_000)}-->`],
  ['JSON of a hundred thousand levels', `${'{"segments":'.repeat(100_000)}1${'}'.repeat(100_000)}`]
])('survives %s', (_, content) => {
  const outcomes = ['a.vtt', 'a.srt', 'a.txt', 'a.json'].map(name => refusal(name, content))
  expect(outcomes.filter(outcome => outcome instanceof Error && !(outcome instanceof UnreadableTranscript))).toEqual([])
})

test('keeps each of fifty thousand cues', () => {
  const cue = (_: unknown, index: number) => `${index + 1}\n00:00:01,000 --> 00:00:02,000\nAda: line ${index}\n`
  expect(segments('a.srt', ...Array.from({ length: 50_000 }, cue))).toHaveLength(50_000)
})

function isSound(outcome: unknown) {
  // An import ends a segment at its start if the file ends it before.
  const { segments = [] } = outcome as ReturnType<typeof parseTranscript>
  const all: Segment[] = JSON.parse(packTranscript(segments).json)
  const isTime = (time: number | null) => time === null || (time >= 0 && time < 1e9)
  return (
    all.length > 0 &&
    all.every(
      ({ speaker, start, end, text }) =>
        speaker !== '' && text !== '' && isTime(start) && isTime(end) && (start ?? 0) <= (end ?? Infinity)
    ) &&
    all.every(({ speaker, text }) => (speaker + text).isWellFormed() && !(speaker + text).includes('\0'))
  )
}

test('labels that are roles or bots make no people', () => {
  const { document } = parseDocument(
    'weekly.txt',
    'Ada Lovelace: Hello.\nProject Manager: Hello.\nEF Zoom Bot: Recording.\n'
  )
  expect(document.segments?.map(({ speaker }) => speaker)).toEqual(['Ada Lovelace', 'Project Manager', 'EF Zoom Bot'])
  expect(document.speakers?.map(({ person }) => person)).toEqual(['Ada Lovelace'])
})
