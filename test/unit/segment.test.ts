import { expect, test } from 'vitest'
import { flatText } from '../../src/core/segment.ts'

const said = (speaker: string, text: string) => ({ speaker, text, start: null, end: null })

test('a turn is a line, led by its speaker, and what one says in a row is one turn', () => {
  const segments = [said('Ada', 'Good morning.'), said('Ada', 'Shall we?'), said('Ben', 'We shall.'), said('Ada', 'Then.')]
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
