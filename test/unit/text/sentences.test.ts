import { expect, test } from 'vitest'
import { splitSentences } from '../../../src/platform/text/sentences.ts'

test.each([
  ['Dr. Who met Mr. Smith at U.S. Steel. They talked.', ['Dr. Who met Mr. Smith at U.S. Steel.', 'They talked.']],
  ['It costs 3.5 percent, e.g. in May. "Really?" Yes!', ['It costs 3.5 percent, e.g. in May.', '"Really?"', 'Yes!']],
  ['本日は予算です。広告も増えています。', ['本日は予算です。', '広告も増えています。']],
  ['No end', ['No end']],
  [' \n ', []]
])('%j is split where a sentence ends', (text, sentences) => {
  expect(splitSentences(text).map(sentence => sentence.text)).toEqual(sentences)
})

test('in German, an ordinal number ends no sentence', () => {
  const text = 'Der Umzug ist am 20. Juni. Danach feiern wir.'
  expect(splitSentences(text, 'de').map(sentence => sentence.text)).toEqual([
    'Der Umzug ist am 20. Juni.',
    'Danach feiern wir.'
  ])
})

test('each sentence says where it begins', () => {
  const text = '  One.  Two? \n Three  '
  for (const sentence of splitSentences(text)) expect(text.slice(sentence.start).startsWith(sentence.text)).toBe(true)
})
