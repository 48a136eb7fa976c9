import { expect, test } from 'vitest'
import { parseDocument } from '../../../src/features/transcript-formats/parse.ts'
import { parseDateLine, parseFileNameStart } from '../../../src/features/transcript-formats/start-time.ts'
import { instantOf, wallTime } from '../../../src/platform/text/wall-time.ts'

const local = (text: string) => ({ text, utc: false })
const utc = (text: string) => ({ text, utc: true })

test.each([
  ['GMT20260302-100000_Recording.transcript.vtt', utc('2026-03-02T10:00:00')],
  ['GMT20260302-100000_Recording_1920x1080.mp4', utc('2026-03-02T10:00:00')],
  ['GMT20260302-100000.m4a', utc('2026-03-02T10:00:00')],
  ['Weekly review-20260302_100000-Meeting Recording.mp4', local('2026-03-02T10:00:00')],
  ['Weekly-20260302_100000UTC-Meeting Recording.mp4', utc('2026-03-02T10:00:00')],
  ['Wöchentlich-20260302_235959-Besprechungsaufzeichnung.mp4', local('2026-03-02T23:59:59')],
  ['GMT20260230-100000_Recording.mp4', null],
  ['GMT20260302-250000_Recording.mp4', null],
  ['GMT20260302-1000001_Recording.mp4', null],
  ['aGMT20260302-100000_Recording.mp4', null],
  ['Weekly-20261302_100000-Meeting Recording.mp4', null],
  ['Weekly 20260302 100000.mp4', null],
  ['2026-03-02.vtt', null]
])('the name %s says when a recording began', (name, time) => {
  expect(parseFileNameStart(name)).toEqual(time)
})

test.each([
  ['Mon, Mar 2, 2026 10:00AM • 45:12', '2026-03-02T10:00:00'],
  ['Mon, Mar 02, 2026 9:31 PM', '2026-03-02T21:31:00'],
  ['March 2, 2026 12:05 am', '2026-03-02T00:05:00'],
  ['Thu, Sept. 3, 2026 at 12:30PM', '2026-09-03T12:30:00']
])('the line %s is a date', (line, text) => {
  expect(parseDateLine(line)).toEqual(local(text))
})

test.each([
  'Mon, Feb 30, 2026 10:00AM',
  'Mar 2, 2026 13:00PM',
  'Mar 2, 2026',
  'We met on Mar 2, 2026 10:00AM to talk',
  'Foo 2, 2026 10:00AM',
  `Mar 2, 2026 10:00AM • ${'x'.repeat(200)}`
])('the line %s is none', line => {
  expect(parseDateLine(line)).toBeNull()
})

test.each([
  ['2026-03-02T10:00:00', 'UTC', '2026-03-02T10:00:00.000Z'],
  ['2026-03-02T10:00:00', 'Europe/Berlin', '2026-03-02T09:00:00.000Z'],
  ['2026-07-02T10:00:00', 'America/Los_Angeles', '2026-07-02T17:00:00.000Z'],
  ['2026-03-02T00:30:00', 'Asia/Kathmandu', '2026-03-01T18:45:00.000Z'],
  // Clocks skip this hour, and show the other one twice.
  ['2026-03-29T02:30:00', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['2026-10-25T02:30:00', 'Europe/Berlin', '2026-10-25T01:30:00.000Z'],
  ['2026-03-29T03:30:00', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['2026-03-29T01:59:59', 'Europe/Berlin', '2026-03-29T00:59:59.000Z']
])('%s in %s is %s', (text, timeZone, instant) => {
  expect(instantOf({ text, utc: false }, timeZone).toISOString()).toBe(instant)
  expect(instantOf({ text, utc: true }, timeZone).toISOString()).toBe(`${text}.000Z`)
})

test('a wall time that does not exist is none', () => {
  expect(wallTime({ year: 2026, month: 2, day: 29, hour: 0, minute: 0, second: 0 }, true)).toBeNull()
})

test('the head of an Otter file is its date, and no speech', () => {
  const head = [
    'Weekly review',
    'Mon, Mar 2, 2026 10:00AM • 45:12',
    '',
    'SUMMARY KEYWORDS',
    `offer, ${'budget, '.repeat(60)}`,
    '',
    'SPEAKERS',
    'Ada Lovelace, Bob',
    ''
  ]
  const said = ['Ada Lovelace  0:12', 'Budget: fine.', '', 'Bob  0:20', 'Two.', '', 'Transcribed by https://otter.ai']
  const { document, startedAt } = parseDocument('weekly.txt', [...head, ...said].join('\n'))
  expect(startedAt).toEqual(local('2026-03-02T10:00:00'))
  expect(document.segments).toEqual([
    { speaker: 'Ada Lovelace', start: 12, end: 20, text: 'Budget: fine.' },
    { speaker: 'Bob', start: 20, end: 20, text: 'Two.' }
  ])
  expect(parseDocument('weekly.txt', said.join('\n'))).toMatchObject({
    startedAt: null,
    document: { segments: document.segments }
  })
})

test.each([
  ['20260716_0930.m4a', '2026-07-16T09:30:00', false],
  ['20260302101530.wav', '2026-03-02T10:15:30', false],
  ['2026-07-16 09-30-00.mkv', '2026-07-16T09:30:00', false],
  ['WhatsApp Ptt 2026-03-02 at 10.15.30.ogg', '2026-03-02T10:15:30', false],
  ['WhatsApp Audio 2026-03-02 at 1.15.30 PM.ogg', '2026-03-02T13:15:30', false],
  ['PTT-20260302-WA0003.opus', '2026-03-02T00:00:00', false],
  ['Recording 2026-03-02 10.15.m4a', '2026-03-02T10:15:00', false],
  ['Screen Recording 2026-03-02 at 10.15.30\u202fPM.mov', '2026-03-02T22:15:30', false],
  ['Orchard (2026-03-02 at 10_00 GMT+1) - Transcript.txt', '2026-03-02T09:00:00', true],
  ['Orchard (2026-03-02 at 20_00 GMT-5) - Transcript.txt', '2026-03-03T01:00:00', true]
])('reads the start in the file name %s', (name, text, utc) => {
  expect(parseFileNameStart(name)).toEqual({ text, utc })
})

test.each([
  'Voice 003.m4a',
  '1234567890123.mp3',
  'call 555-0100 12-30.wav',
  '2026-13-40 10-00-00.wav',
  'audio20261301.m4a'
])('finds no start in the file name %s', name => {
  expect(parseFileNameStart(name)).toBeNull()
})
