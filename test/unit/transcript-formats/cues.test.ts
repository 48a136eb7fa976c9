import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTranscript } from '../../support/transcript.ts'

function said(speaker: string, start: number, end: number, text: string) {
  return { speaker, start, end, text }
}

function vtt(...lines: string[]) {
  return parseTranscript('a.vtt', ['WEBVTT', '', ...lines].join('\n')).segments
}

function srt(...lines: string[]) {
  return parseTranscript('a.srt', lines.join('\n')).segments
}

const FIRST = '00:00:01.000 --> 00:00:02.000'
const SECOND = '00:00:02.000 --> 00:00:03.000'

test('reads the speakers of Teams from voice tags', () => {
  expect(
    vtt(
      'a1/12-0',
      FIRST,
      '<v Ada Lovelace>Good morning</v>',
      '',
      'a1/13-0',
      SECOND,
      '<v.loud Bob &amp; Eve>Hello: all</v>'
    )
  ).toEqual([said('Ada Lovelace', 1, 2, 'Good morning'), said('Bob & Eve', 2, 3, 'Hello: all')])
})

test('reads the speakers of Zoom from the front of the text', () => {
  expect(vtt('1', FIRST, 'Ada Lovelace: Good morning', '', '2', SECOND, '+1 555 0100: At 10:30?')).toEqual([
    said('Ada Lovelace', 1, 2, 'Good morning'),
    said('+1 555 0100', 2, 3, 'At 10:30?')
  ])
})

test('reads the speakers of WhisperX from brackets', () => {
  expect(srt('1', FIRST, '[SPEAKER_00]: Good morning')).toEqual([said('SPEAKER_00', 1, 2, 'Good morning')])
})

test('reads a name in front of the text as text in a file with voice tags', () => {
  expect(vtt(FIRST, '<v Ada>Bob: that was his name')).toEqual([said('Ada', 1, 2, 'Bob: that was his name')])
})

test('gives a cue to each of its voices', () => {
  expect(vtt(FIRST, '<v Ada>Ready?</v>', '<v Bob>Yes.</v>')).toEqual([
    said('Ada', 1, 2, 'Ready?'),
    said('Bob', 1, 2, 'Yes.')
  ])
})

test('goes on with the speaker before where a cue names none, and keeps the cues apart', () => {
  expect(vtt(FIRST, 'Ada: One', '', SECOND, 'two', '', '00:03.000 --> 00:04.000', 'Bob: Three')).toEqual([
    said('Ada', 1, 2, 'One'),
    said('Ada', 2, 3, 'two'),
    said('Bob', 3, 4, 'Three')
  ])
})

test('calls everyone Speaker where no cue is named', () => {
  expect(vtt(FIRST, 'One', '', SECOND, 'Note: two')).toEqual([
    said('Speaker', 1, 2, 'One'),
    said('Speaker', 2, 3, 'Note: two')
  ])
})

test.each(['\n', '\r\n', '\r'])('reads lines that end with %j', newline => {
  const content = ['WEBVTT', '', '1', FIRST, 'One', 'more', '', '2', SECOND, 'Two', ''].join(newline)
  expect(parseTranscript('a.vtt', content).segments).toEqual([
    said('Speaker', 1, 2, 'One more'),
    said('Speaker', 2, 3, 'Two')
  ])
})

test('reads past a byte order mark, notes, styles and regions', () => {
  const blocks = [
    '\ufeffWEBVTT - talk',
    'Kind: captions',
    'Language: en-GB',
    '',
    'NOTE',
    'not',
    'said',
    '',
    'STYLE',
    '::cue { color: red }',
    '',
    'REGION',
    'id:a'
  ]
  expect(parseTranscript('a.vtt', [...blocks, '', 'NOTE no', '', FIRST, 'NOTE this'].join('\n'))).toEqual({
    segments: [said('Speaker', 1, 2, 'NOTE this')],
    language: 'en-GB',
    durationSeconds: 2
  })
})

test.each([
  ['100:00:01.000 --> 100:00:02.000', 360001, 360002],
  ['00:00:01.5 --> 00:00:02.25', 1.5, 2.25],
  ['00:00:01,500 --> 00:00:02,5', 1.5, 2.5],
  ['01:01 --> 01:02', 61, 62],
  ['00:00:01.000 --> 00:00:02.000 align:start position:0%', 1, 2],
  ['  00:00:01.000  -->\t00:00:02.000  ', 1, 2],
  ['00:00:05.000 --> 00:00:02.000', 5, 2],
  ['00:00:01.1 --> 01:01:01.001', 1.1, 3661.001]
])('reads the times %s', (times, start, end) => {
  expect([vtt(times, 'Hi'), srt('1', times, 'Hi')]).toEqual([
    [said('Speaker', start, end, 'Hi')],
    [said('Speaker', start, end, 'Hi')]
  ])
})

test('keeps an arrow in the text', () => {
  expect(vtt(FIRST, 'from A --> B', '10:30 --> 11:00 was the plan', '', SECOND, 'Two')).toEqual([
    said('Speaker', 1, 2, 'from A --> B 10:30 --> 11:00 was the plan'),
    said('Speaker', 2, 3, 'Two')
  ])
})

test('loses nothing behind an empty cue', () => {
  expect(vtt('1', FIRST, '', '2', SECOND, 'Two')).toEqual([said('Speaker', 2, 3, 'Two')])
  expect(srt('1', FIRST, '', '2', SECOND, 'Two')).toEqual([said('Speaker', 2, 3, 'Two')])
  expect(srt('1', FIRST, '2', SECOND, 'Two')).toEqual([said('Speaker', 2, 3, 'Two')])
})

test.each([
  ['<i>One</i> <c.yellow>two</c> <00:00:01.500>three', 'One two three'],
  ['<ruby>base<rt>gloss</rt></ruby> <lang en>text</lang>', 'basegloss text'],
  ['<font color="#fff">One</font><br/>two', 'One two'],
  ['{\\an8}One {\\i1}two', 'One two'],
  ['a &lt;b&gt; &amp;amp; &#65;&#x42; &quot;c&apos;', 'a <b> &amp; AB "c\''],
  ['one&nbsp;two &lrm;three&rlm;', 'one two \u200ethree\u200f'],
  ['one&#0;&#xD800;&#1114112; two', 'one two'],
  [
    'Zo&euml; &mdash; 40&nbsp;&euro; &amp; 5&thinsp;&percnt; &hellip; &CounterClockwiseContourIntegral; &#150;',
    'Zoë — 40 € & 5 % … ∳ –'
  ],
  ['R&D, AT&T; &copy=2 &nosuch; &amp;eacute;', 'R&D, AT&T; &copy=2 &nosuch; &eacute;'],
  ['2 < 3 and 4 > 1 <laughs> &unknown;', '2 < 3 and 4 > 1 <laughs> &unknown;']
])('reads the text %s', (text, plain) => {
  expect(vtt(FIRST, text)).toEqual([said('Speaker', 1, 2, plain)])
})

test('reads numbers, missing numbers, missing blank lines and blank lines within a cue of SubRip', () => {
  expect(
    srt(
      '1',
      '00:00:01,000 --> 00:00:02,000',
      'One',
      '',
      'more',
      '2',
      '00:00:02,000 --> 00:00:03,000',
      '42',
      '',
      '00:00:03,000 --> 00:00:04,000',
      'Four'
    )
  ).toEqual([said('Speaker', 1, 2, 'One more'), said('Speaker', 2, 3, '42'), said('Speaker', 3, 4, 'Four')])
})

const word = fc.stringMatching(/^[a-zA-Z0-9äß语&<>.,!?'-]{1,12}$/)
const text = fc
  .array(word, { minLength: 1, maxLength: 12 })
  .map(words => words.join(' '))
  .filter(line => !/^\d+$/.test(line))
const name = fc.constantFrom('Ada Lovelace', 'Bob', 'SPEAKER_00', "Dr. Nía O'Neil-Smith", '李雷', 'Juan de la Cruz')
const milliseconds = fc.integer({ min: 0, max: 400 * 3600 * 1000 })
const cue = fc
  .tuple(milliseconds, fc.integer({ min: 0, max: 60_000 }), name, text)
  .map(([start, length, speaker, spoken]) => said(speaker, start / 1000, (start + length) / 1000, spoken))
// A file whose first time is hours away has the clock of a tape, so each of these begins at zero.
const cues = fc.array(cue, { maxLength: 20 }).map(others => [said('Bob', 0, 1, 'Hello'), ...others])

function clock(seconds: number, separator: string) {
  const total = Math.round(seconds * 1000)
  const parts = [Math.floor(total / 3_600_000), Math.floor(total / 60_000) % 60, Math.floor(total / 1000) % 60]
  return `${parts.map(part => String(part).padStart(2, '0')).join(':')}${separator}${String(total % 1000).padStart(3, '0')}`
}

function inOrder(all: ReturnType<typeof said>[]) {
  return all.toSorted((a, b) => a.start - b.start)
}

function escaped(plain: string) {
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

test('reads back exactly the cues that were written as WebVTT', () => {
  fc.assert(
    fc.property(cues, fc.constantFrom('\n', '\r\n', '\r'), (written, newline) => {
      const blocks = written.map(({ speaker, start, end, text: spoken }, index) => [
        `cue-${index}`,
        `${clock(start, '.')} --> ${clock(end, '.')} align:start`,
        `<v ${speaker}>${escaped(spoken)}</v>`,
        ''
      ])
      expect(parseTranscript('a.vtt', ['WEBVTT', '', ...blocks.flat()].join(newline)).segments).toEqual(
        inOrder(written)
      )
    })
  )
})

test('reads back exactly the cues that were written as SubRip', () => {
  fc.assert(
    fc.property(cues, fc.constantFrom('\n', '\r\n', '\r'), (written, newline) => {
      const blocks = written.map(({ speaker, start, end, text: spoken }, index) => [
        String(index + 1),
        `${clock(start, ',')} --> ${clock(end, ',')}`,
        `${speaker}: ${escaped(spoken)}`,
        ''
      ])
      expect(parseTranscript('a.srt', blocks.flat().join(newline)).segments).toEqual(inOrder(written))
    })
  )
})
