import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDocument } from '../../../src/features/transcript-formats/parse.ts'

const LINES_END = fc.constantFrom('\n', '\r\n', '\r')
const TIMES: ((from: number, to: number) => string)[] = [
  (from, to) => `${clock(from, ',')} --> ${clock(to, ',')}`,
  (from, to) => `${clock(from, '.')} --> ${clock(to, '.')} align:start position:0%`,
  (from, to) => `${clock(from, '.').slice(3)} --> ${clock(to, '.').slice(3)}`,
  (from, to) => `${from}.500 --> ${to}.250`,
  (from, to) => `${clock(from, ',')}-->${clock(to, ',')}`,
  (from, to) => `\t${clock(from, ';')}  -->\t${clock(to, ';')} `,
  (from, to) => `0:0:${from},5 --> 0:0:${to},8`,
  (_, to) => `-00:00:01,500 --> ${clock(to, ',')}`,
  (from, to) => `${clock(from, ':').slice(0, -1)} --> ${clock(to, ':').slice(0, -1)}`,
  (from, to) => `${clock(from, ',')} --> ${clock(to, ',')} X1:100 X2:200 Y1:1 Y2:2`
]
const LABELS = [
  '',
  '',
  'Marta: ',
  'oskar berg: ',
  '[SPEAKER_00]: ',
  '(speaker 1) ',
  '>> ',
  '- ',
  '<v Zoë>',
  '<v >',
  '<i>',
  'Verdict: '
]
const HEADS = ['WEBVTT\n\n', 'WEBVTT - talk\nKind: captions\nLanguage: en\n\n', '', 'Subtitles of wHead\n\n', '\n\n']
const NUMBERS = ['', '#\n', 'cue-#\n']

function clock(seconds: number, separator: string) {
  return `00:${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}${separator}000`
}

const line = fc.record({
  label: fc.constantFrom(...LABELS),
  words: fc.integer({ min: 1, max: 4 }),
  before: fc.constantFrom('', '', '', ' \n')
})
const cue = fc.record({
  number: fc.constantFrom(...NUMBERS),
  times: fc.constantFrom(...TIMES),
  lines: fc.array(line, { minLength: 1, maxLength: 3 }),
  blank: fc.constantFrom('', '', '', '\n')
})

test('every word of every cue is in the transcript or in a warning, whatever the dialects of the file', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...HEADS),
      fc.array(cue, { minLength: 1, maxLength: 12 }),
      fc.constantFrom('a.vtt', 'a.srt'),
      LINES_END,
      (head, cues, name, newline) => {
        let words = 0
        const blocks = cues.map(({ number, times, lines, blank }, index) => {
          const text = lines
            .map(({ label, words: count, before }, at) => {
              const said = Array.from({ length: count }, () => `w${words++}`).join(' ')
              return `${at === 0 ? '' : before}${label}${said}`
            })
            .join('\n')
          return `${number.replace('#', String(index + 1))}${times(index, index + 1)}\n${blank}${text}\n`
        })
        const { document, warnings } = parseDocument(name, (head + blocks.join('\n')).replaceAll('\n', newline))
        const found = [...(document.segments ?? []).map(({ text }) => text), ...warnings].join(' ')
        const read = new Set(found.match(/\bw\w+/g))
        const sent = [
          ...Array.from({ length: words }, (_, at) => `w${at}`),
          ...(head.includes('wHead') ? ['wHead'] : [])
        ]
        expect(sent.filter(word => !read.has(word))).toEqual([])
      }
    ),
    { numRuns: 2_000 }
  )
})
