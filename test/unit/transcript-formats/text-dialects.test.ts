import { describe, expect, test } from 'vitest'
import { parseDocument } from '../../../src/features/transcript-formats/parse.ts'
import { linesOf } from '../../support/transcript.ts'

const Q = 'Is the bridge open?'
const A = 'Yes, since Monday.'
const P = 'Then we paint it.'

function lines(text: string, name = 'talk.txt') {
  return linesOf(name, text).slice(1)
}

const [INES, TOM] = ['Ines Duarte', 'Tom Berger']
const TALK = [`1–3 ${INES} | ${Q}`, `3–65 ${TOM} | ${A}`, `65–65 ${INES} | ${P}`]
const RANGES = [`1–3 ${INES} | ${Q}`, `3.5–6 ${TOM} | ${A}`]

describe('a time is never spoken and never a part of a name', () => {
  test.each<[string, string, string[]]>([
    ['behind the label', `${INES}: [00:00:01] ${Q}\n${TOM}: [00:00:03] ${A}\n${INES}: [00:01:05] ${P}`, TALK],
    [
      'of day, in brackets',
      `[10:02 AM] ${INES}: ${Q}\n[10:02 AM] ${TOM}: ${A}\n[10:03 AM] ${INES}: ${P}`,
      [`0–0 ${INES} | ${Q}`, `0–60 ${TOM} | ${A}`, `60–60 ${INES} | ${P}`]
    ],
    [
      'of day without brackets, across midnight',
      `11:59:58 PM ${INES}: ${Q}\n12:00:01 AM ${TOM}: ${A}\n12:01:03 AM ${INES}: ${P}`,
      [`0–3 ${INES} | ${Q}`, `3–65 ${TOM} | ${A}`, `65–65 ${INES} | ${P}`]
    ],
    [
      'with a fraction between number signs',
      `#00:00:01-0# I: ${Q} #00:00:03-2#\n\n#00:00:03-5# T: ${A} #00:00:06-0#`,
      [`1–3.2 I | ${Q}`, `3.5–6 T | ${A}`]
    ],
    ['at the ends only', `I: ${Q} #00:00:03-2#\n\nT: ${A} #00:00:06-0#`, [`0–3.2 I | ${Q}`, `3.2–6 T | ${A}`]],
    [
      'before each text',
      `0:01 ${Q}\n0:03 ${A}\n1:05 ${P}`,
      [`1–3 Speaker | ${Q}`, `3–65 Speaker | ${A}`, `65–65 Speaker | ${P}`]
    ],
    [
      'at the end of a turn',
      `[00:00:01] ${INES}: ${Q}\n\n[00:00:03] ${TOM}: ${A} [00:00:05][2.1]\n\n[00:01:05] ${INES}: ${P}`,
      [`1–3 ${INES} | ${Q}`, `3–5 ${TOM} | ${A}`, `65–65 ${INES} | ${P}`]
    ],
    [
      'within a remark',
      `[00:00:01] ${INES}: ${Q} [inaudible 00:00:02] please.\n[00:00:03] ${TOM}: ${A} [00:00:04] Come.`,
      [`1–3 ${INES} | ${Q} [inaudible] please.`, `3–3 ${TOM} | ${A} Come.`]
    ],
    [
      'range with the name in brackets',
      `[00:00:01.000 --> 00:00:03.000] [${INES}]\n${Q}\n\n[00:00:03.500 --> 00:00:06.000] [${TOM}]\n${A}`,
      RANGES
    ],
    [
      'range with a bar',
      `00:00:01.000 - 00:00:03.000 | ${INES}\n${Q}\n\n00:00:03.500 - 00:00:06.000 | ${TOM}\n${A}`,
      RANGES
    ],
    [
      'range with a label',
      `(00:00:01.0 - 00:00:03.0) ${INES}:\n${Q}\n\n(00:00:03.5 - 00:00:06.0) ${TOM}:\n${A}`,
      RANGES
    ],
    [
      'range of frames above the name',
      `00:00:01:00 - 00:00:03:00\n${INES}\n${Q}\n\n00:00:03:12 - 00:00:06:00\n${TOM}\n${A}`,
      [RANGES[0]!, `3.48–6 ${TOM} | ${A}`]
    ],
    [
      'of a caption with the name behind',
      `1\n00:00:01,000 --> 00:00:03,000 [${INES}]\n${Q}\n\n2\n00:00:03,500 --> 00:00:06,000 [${TOM}]\n${A}`,
      RANGES
    ]
  ])('%s', (_, text, expected) => {
    expect(lines(text)).toEqual(expected)
  })
})

test('a day before the times is the start', () => {
  const text = `[2026-03-02 10:02:11] ${INES}: ${Q}\n[2026-03-02 10:02:14] ${TOM}: ${A}`
  expect(lines(text)).toEqual([`0–3 ${INES} | ${Q}`, `3–3 ${TOM} | ${A}`])
  expect(parseDocument('talk.txt', text).startedAt).toEqual({ text: '2026-03-02T10:02:11', utc: false })
})

test('a time that begins few sentences is speech', () => {
  expect(lines(`10:30 is when we meet.\nBring the plan.\nAnd your boots.`)).toEqual([
    'Speaker | 10:30 is when we meet. Bring the plan. And your boots.'
  ])
})

describe('a table is read by its columns, and its head is no speech:', () => {
  test.each([
    ['with tabs', `Time\tSpeaker\tText\n0:01\t${INES}\t${Q}\n0:03\t${TOM}\t${A}\n1:05\t${INES}\t${P}`, 'txt'],
    [
      'with bars',
      `| Time | Speaker | Text |\n|---|---|---|\n| 0:01 | ${INES} | ${Q} |\n| 0:03 | ${TOM} | ${A} |\n| 1:05 | ${INES} | ${P} |`,
      'md'
    ],
    ['with colons behind the names', `0:01\t${INES}:\t${Q}\n0:03\t${TOM}:\t${A}\n1:05\t${INES}:\t${P}`, 'txt']
  ])('%s', (_, text, extension) => {
    expect(lines(text, `talk.${extension}`)).toEqual(TALK)
  })

  test('two columns', () => {
    expect(lines(`${INES}\t${Q}\n${TOM}\t${A}\n${INES}\t${P}`)).toEqual([
      `${INES} | ${Q}`,
      `${TOM} | ${A}`,
      `${INES} | ${P}`
    ])
  })

  test('annotations of ELAN as text', () => {
    const row = (name: string, start: string, end: string, text: string) =>
      `${name}\t\t${start}\t1.0\t${end}\t3.0\t00:00:02.000\t2.0\t${text}`
    expect(
      lines([row(INES, '00:00:01.000', '00:00:03.000', Q), row(TOM, '00:00:03.500', '00:00:06.000', A)].join('\n'))
    ).toEqual(RANGES)
  })

  test('the table of an editor of films, with frames', () => {
    const csv = `"Speaker Name","Start Time","End Time","Text"\n"${INES}","00:00:01:00","00:00:03:00","${Q}"\n"${TOM}","00:00:03:12","00:00:06:00","${A}"`
    expect(lines(csv, 'talk.csv')).toEqual([RANGES[0], `3.48–6 ${TOM} | ${A}`])
  })
})

test('questions and answers of a deposition have the names of who asks and answers, and no numbers of lines', () => {
  const text = [
    '                         12',
    ' 1             TOM BERGER,',
    ' 2   having been duly sworn, testified as follows:',
    ' 3                   EXAMINATION',
    ' 4   BY MS. DUARTE:',
    ' 5        Q.   Is the bridge open?',
    ' 6        A.   Yes.  It was opened on the second of',
    ' 7   March, as I said.',
    ' 8             MR. HALE:  Objection.',
    ' 9        Q.   Who paid?',
    '10        A.   The town.'
  ].join('\n')
  expect(lines(text)).toEqual([
    'MS. DUARTE | Is the bridge open?',
    'TOM BERGER | Yes. It was opened on the second of March, as I said.',
    'MR. HALE | Objection.',
    'MS. DUARTE | Who paid?',
    'TOM BERGER | The town.'
  ])
  expect(parseDocument('talk.txt', text).warnings).toContainEqual(expect.stringContaining('EXAMINATION'))
})

test('roles and places behind the names of a broadcast are no part of them, and directions are named in warnings', () => {
  const text = `INES DUARTE, HOST: ${Q}\n\nTOM BERGER, ENGINEER (voice-over): ${A}\n\n(BEGIN VIDEO CLIP)\n\nDUARTE (on camera): ${P}\n\n(END VIDEO CLIP)\n\nBERGER: Good.`
  expect(lines(text)).toEqual([`INES DUARTE | ${Q}`, `TOM BERGER | ${A}`, `INES DUARTE | ${P}`, 'TOM BERGER | Good.'])
  expect(parseDocument('talk.txt', text).warnings).toEqual([
    'Line 5 is left out, because it is not speech: (BEGIN VIDEO CLIP)',
    'Line 9 is left out, because it is not speech: (END VIDEO CLIP)'
  ])
})

test('the record of a parliament has a full stop behind the names', () => {
  expect(lines(`Mr. BERGER. ${Q}\n\nMs. DUARTE. ${A}\n\nMr. BERGER. ${P}`)).toEqual([
    `Mr. BERGER | ${Q}`,
    `Ms. DUARTE | ${A}`,
    `Mr. BERGER | ${P}`
  ])
})

test('chapter lines of a copied transcript are neither speech nor title', () => {
  const text = `Chapter 1: The bridge\n0:00\n${Q}\n0:03\n${A}\nChapter 2: The paint\n1:05\n${P}`
  expect(lines(text)).toEqual([`0–3 Speaker | ${Q}`, `3–65 Speaker | ${A}`, `65–65 Speaker | ${P}`])
  const { document, warnings } = parseDocument('talk.txt', text)
  expect([document.title, warnings.length]).toEqual([undefined, 2])
})

test.each([
  '<!-- saved -->\n<!DOCTYPE html><p>Hi</p>',
  '<!-- saved -->\n<div class="a"><p>Hi</p></div>',
  '<p>Hi <b>there</b></p>'
])('a web page is refused, although its name ends in .txt: %s', page => {
  expect(() => lines(page)).toThrow('The file is a web page')
})
