import { expect, test } from 'vitest'
import { z } from 'zod'
import { ImportDocument } from '../../../src/contract/import-document.ts'
import { readImportDocument } from '../../../src/features/transcript-formats/read-document.ts'
import { ApiError } from '../../../src/platform/core/api-error.ts'

const segments = [{ text: 'Hi' }]
const heard = [{ speaker: 'Speaker', start: null, end: null, text: 'Hi' }]

function refusal(document: unknown) {
  try {
    return readImportDocument(document)
  } catch (error) {
    return error
  }
}

test('reads every key of a document', () => {
  const document = {
    external_id: 'zoom-123',
    title: 'Weekly',
    timestamp: '2026-03-02T10:00:00.000Z',
    type: 'meeting',
    platform: 'zoom',
    language: 'en',
    duration_seconds: 1800,
    summary: '# Weekly',
    notes: 'None',
    tags: ['a'],
    favorite: false,
    folders: ['Clients'],
    phone: {
      direction: 'inbound',
      status: 'completed',
      provider: 'twilio',
      contact_name: null,
      ongoing: false,
      to_number: null,
      from_number: null
    },
    action_items: [
      { text: 'Send the offer', assignee: 'Ada', due_date: '2026-03-06', completed: false, source_start: 12.5 }
    ],
    speakers: [{ label: 'Speaker 1', person: 'Ada Lovelace', is_me: true, matched_by: 'voice' }],
    segments: [{ speaker: 'Speaker 1', start: 0, end: 4.2, text: 'Hi' }],
    media: { audio: 'http://example.com/a.mp3', video: 'https://example.com/a.mp4' }
  }
  expect(readImportDocument(document)).toEqual(document)
})

test('fills in what is left out', () => {
  const document = {
    unknown: [[[['\0']]]],
    phone: {},
    action_items: [{ text: 'Send it' }],
    speakers: [{ label: 'A' }],
    segments
  }
  expect(readImportDocument(document)).toEqual({
    phone: {
      direction: null,
      status: null,
      provider: null,
      contact_name: null,
      ongoing: false,
      to_number: null,
      from_number: null
    },
    action_items: [{ text: 'Send it', assignee: null, due_date: null, completed: false, source_start: null }],
    speakers: [{ label: 'A', person: null, is_me: false }],
    segments: heard
  })
})

test.each([
  ['2026-03-02', '2026-03-02T00:00:00.000Z'],
  ['2026-03-02T10:00:00+02:00', '2026-03-02T08:00:00.000Z'],
  ['2026-03-02T10:00:00.125Z', '2026-03-02T10:00:00.125Z']
])('reads the timestamp %s', (timestamp, instant) => {
  expect(readImportDocument({ timestamp, segments }).timestamp).toBe(instant)
})

test.each([
  [
    { text: 'Hi', start: 1 },
    { speaker: 'Speaker', start: 1, end: 1, text: 'Hi' }
  ],
  [
    { text: 'Hi', start: 3, end: 2 },
    { speaker: 'Speaker', start: 3, end: 2, text: 'Hi' }
  ],
  [
    { text: 'Hi', speaker: ' Ada ' },
    { speaker: 'Ada', start: null, end: null, text: 'Hi' }
  ],
  [
    { text: 'Hi', speaker: 'Ada\n Ben:\u0085forged' },
    { speaker: 'Ada Ben: forged', start: null, end: null, text: 'Hi' }
  ],
  [
    { text: 'Hi', speaker: '\u200b' },
    { speaker: 'Speaker', start: null, end: null, text: 'Hi' }
  ],
  [
    { text: 'Hi', speaker: null },
    { speaker: 'Speaker', start: null, end: null, text: 'Hi' }
  ]
])('reads the segment %j', (sent, read) => {
  expect(readImportDocument({ segments: [{ text: ' \u200b' }, sent] }).segments).toEqual([read])
})

test('removes NUL and halves of surrogate pairs before anything is checked', () => {
  const document = {
    title: `${'\u{1f600}'.repeat(500)}\0\ud800`,
    type: 'meet\0ing',
    tags: ['\udfffa'],
    folders: [' b\0 '],
    segments: [{ text: 'H\0i' }]
  }
  expect(readImportDocument(document)).toEqual({
    title: '\u{1f600}'.repeat(500),
    type: 'meeting',
    tags: ['a'],
    folders: ['b'],
    segments: heard
  })
})

const NEITHER = 'the document has neither speech nor media; expected segments with text, or media'
const SECONDS = 'expected a number of seconds from 0 to 999999999'
const TIMESTAMP = 'expected a date and time such as 2026-03-02T10:00:00Z, or a date'
const FOLDER = 'expected a name of 1 to 100 characters that is not blank'
const NO_FILES = 'expected an http(s) URL, or the path of a recording in the folder of the document'

test.each([
  ['', 'Expected the document as a JSON object', []],
  ['', 'Expected the document as a JSON object', null],
  ['', NEITHER, { title: 'a' }],
  ['', NEITHER, { segments: [{ text: ' \u200b\0' }], media: {} }],
  ['external_id', 'expected a text of 1 to 200 characters that is not blank', { external_id: '', segments }],
  [
    'external_id',
    'expected a text of 1 to 200 characters that is not blank',
    { external_id: 'x'.repeat(201), segments }
  ],
  ['title', 'expected a text of at most 500 characters', { title: 'x'.repeat(501), segments }],
  ['timestamp', TIMESTAMP, { timestamp: '2026-03-02T25:00:00', segments }],
  ['timestamp', TIMESTAMP, { timestamp: '2026-02-30', segments }],
  ['timestamp', TIMESTAMP, { timestamp: '9999-12-31T23:00:00-05:00', segments }],
  ['timestamp', TIMESTAMP, { timestamp: 1772445600000, segments }],
  ['type', 'expected one of meeting, recording, phone, desktop, import, youtube, podcast', { type: 'call', segments }],
  ['platform', 'expected a text of at most 100 characters', { platform: 'x'.repeat(101), segments }],
  ['language', 'expected a text of at most 35 characters', { language: 'x'.repeat(36), segments }],
  ['duration_seconds', SECONDS, { duration_seconds: -1, segments }],
  ['duration_seconds', SECONDS, { duration_seconds: 1e9, segments }],
  ['summary', 'expected a text of at most 200000 characters', { summary: 1, segments }],
  ['notes', 'expected a text of at most 50000 characters', { notes: 'x'.repeat(50_001), segments }],
  ['tags', 'expected a list of at most 20 tags', { tags: Array(21).fill('a'), segments }],
  ['tags.1', 'expected a text of 1 to 100 characters that is not blank', { tags: ['a', ''], segments }],
  ['favorite', 'expected true or false', { favorite: 'yes', segments }],
  ['folders', 'expected a list of at most 50 names of folders', { folders: Array(51).fill('a'), segments }],
  ['folders.0', FOLDER, { folders: [' \u200b '], segments }],
  ['folders.0', FOLDER, { folders: ['x'.repeat(101)], segments }],
  ['phone.direction', 'expected one of inbound, outbound', { phone: { direction: 'in' }, segments }],
  [
    'action_items',
    'expected a list of at most 200 action items',
    { action_items: Array(201).fill({ text: 'a' }), segments }
  ],
  ['action_items.0.text', 'expected a text of 1 to 2000 characters', { action_items: [{ text: '' }], segments }],
  ['action_items.0.source_start', SECONDS, { action_items: [{ text: 'a', source_start: -1 }], segments }],
  ['speakers.0.label', 'expected a text of 1 to 200 characters that is not blank', { speakers: [{}], segments }],
  [
    'speakers.0.person',
    'expected a text of 1 to 200 characters that is not blank',
    { speakers: [{ label: 'A', person: ' ' }], segments }
  ],
  [
    'speakers.0.matched_by',
    'expected one of voice, name, manual',
    { speakers: [{ label: 'A', matched_by: 'ear' }], segments }
  ],
  ['segments', 'expected a list of at most 100000 segments', { segments: {} }],
  ['segments', 'expected a list of at most 100000 entries', { segments: Array(100_001).fill(null) }],
  ['segments.1.start', SECONDS, { segments: [{ text: ' ' }, { text: 'a', start: '1' }] }],
  ['segments.0.text', 'expected a text of at most 1000000 characters', { segments: [{}] }],
  ...[
    '/etc/talk.mp3',
    '../talk.mp3',
    'a/../../talk.mp3',
    'a\\..\\talk.mp3',
    '\\\\host\\talk.mp3',
    'C:talk.mp3',
    '~/talk.mp3',
    'talk.txt',
    'talk',
    '.mp3/x'
  ].map((audio): [string, string, object] => ['media.audio', NO_FILES, { media: { audio } }]),
  ['media.video', NO_FILES, { media: { video: 'file:///a.mp4' } }],
  ['media.video', NO_FILES, { media: { video: 'https://' } }]
])('refuses a fault at "%s": %s', (field, remedy, document) => {
  const error = refusal(document)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ field: field || undefined, message: field === '' ? remedy : `${field}: ${remedy}` })
})

test('can be shown in an OpenAPI document', () => {
  expect(z.toJSONSchema(ImportDocument, { io: 'input' })).toMatchObject({
    $defs: { ImportDocument: { type: 'object', properties: { external_id: { minLength: 1, maxLength: 200 } } } }
  })
})
