import { expect, test } from 'vitest'
import { rankSessions } from '../../../src/features/search/operations.ts'

function session(sessionId: string, score: number, similarity: number | undefined) {
  return { sessionId, score, meant: 0, at: 0, heading: undefined, similarity, passages: new Map<number, number>() }
}

function ranked(...sessions: ReturnType<typeof session>[]) {
  return rankSessions(sessions).map(({ sessionId }) => sessionId)
}

test('lexical score and similarity count by their distance from the mean, whatever their scale', () => {
  for (const scale of [0.01, 1, 100]) {
    for (const width of [0.02, 1]) {
      const scaled = [
        session('words', 3 * scale, 0.8 + width * 0.01),
        session('meaning', 0, 0.8 + width * 0.1),
        session('both', 2.9 * scale, 0.8 + width * 0.09),
        session('neither', 0, 0.8)
      ]
      expect(ranked(...scaled)).toEqual(['both', 'words', 'meaning', 'neither'])
    }
  }
})

test('a session without embeddings has the mean similarity', () => {
  expect(ranked(session('far', 1, 0.1), session('unknown', 1, undefined), session('near', 1, 0.5))).toEqual([
    'near',
    'unknown',
    'far'
  ])
})

test('without a query embedding words alone decide, and the newer of equal sessions is first', () => {
  expect(ranked(session('a', 1, undefined), session('b', 2, undefined), session('c', 1, undefined))).toEqual([
    'b',
    'c',
    'a'
  ])
})

test('one session, or none, is ranked as well', () => {
  expect([ranked(session('only', 0, 0.4)), ranked()]).toEqual([['only'], []])
})
