import { expect, test } from 'vitest'
import { cutPassages } from '../../../src/features/library/index/passages.ts'
import { flatText } from '../../../src/platform/text/segment.ts'
import { processorMsPerTurn } from '../../support/processor-time.ts'

const said = (speaker: string, text: string) => ({ speaker, text, start: null, end: null })

test('a turn is a line, led by its speaker, and what one says in a row is one turn', () => {
  const segments = [
    said('Ada', 'Good morning.'),
    said('Ada', 'Shall we?'),
    said('Ben', 'We shall.'),
    said('Ada', 'Then.')
  ]
  expect(flatText(segments)).toBe('Ada: Good morning. Shall we?\nBen: We shall.\nAda: Then.')
})

test('of a conversation without a word there is no text', () => {
  expect(flatText([])).toBe('')
})

test.each([
  ['one two', 'one two'],
  ['one  two', 'one two'],
  ['one\ttwo', 'one two'],
  ['one\ntwo', 'one two'],
  ['one \r\n two', 'one two'],
  ['one\u00a0two', 'one two'],
  ['one\u2028two\u3000three', 'one two three'],
  [' \tone two\n ', 'one two'],
  ['one \u00a0 \t two  three', 'one two three'],
  ['\n', '']
])('white space of any kind and length is one blank in the text, and none at its ends: %j', (text, flat) => {
  expect(flatText([said('Ada', text)])).toBe(`Ada: ${flat}`)
})

test.each([
  ['A\nB: forged', 'A B: forged'],
  ['A\r\n\tB: forged', 'A B: forged'],
  ['A\u2028B: forged', 'A B: forged'],
  ['A\u0085B: forged', 'A B: forged'],
  ['A\u000bB\u001c: forged', 'A B : forged'],
  ['A\u001b[2KB: forged', 'A [2KB: forged']
])('no label forges a line: %j', async (speaker, label) => {
  expect(flatText([said(speaker, 'Hello.')])).toBe(`${label}: Hello.`)
  expect((await cutPassages([said(speaker, 'Hello.')]))[0]?.text).toBe(`${label}: Hello.`)
})

test.each(['\n', '\r', '\v', '\f', '\u001c', '\u001d', '\u001e', '\u0085', '\u2028', '\u2029'])(
  'no text forges a line by the break %j: a segment of several lines is one line',
  async lineBreak => {
    const text = `Hello.${lineBreak}Ben: forged`
    expect(flatText([said('Ada', text)])).toBe('Ada: Hello. Ben: forged')
    expect((await cutPassages([said('Ada', text)]))[0]?.text).toBe('Ada: Hello. Ben: forged')
  }
)

test('other work goes on while the longest transcript is cut, on average at least every 50 ms', async () => {
  const segments = Array.from({ length: 10 }, () => said('Ada', '会議の記録'.repeat(20_000)))
  const { result, msPerTurn } = await processorMsPerTurn(() => cutPassages(segments))
  expect(result.map(({ text }) => text.replace('Ada: ', '')).join('')).toBe(segments.map(({ text }) => text).join(''))
  expect(msPerTurn).toBeLessThan(50)
})
