import { expect, test } from 'vitest'
import { bootstrapMean } from '../../../bench/bootstrap.ts'
import { languageSets } from '../../../bench/sets/languages.ts'
import { makeSessions } from '../../../bench/sets/made-library.ts'
import { nameSets } from '../../../bench/sets/names.ts'
import { withoutAccents } from '../../../bench/sets/people.ts'
import { periodSet } from '../../../bench/sets/periods.ts'
import { phraseSet } from '../../../bench/sets/phrases.ts'
import { toSegments } from '../../../bench/sets/query-set.ts'
import { openRandom } from '../../../bench/sets/random.ts'
import { withSynonyms } from '../../../bench/sets/synonyms.ts'

test('the interval of equal values is that value', () => {
  expect(bootstrapMean([[0.5, 0.5], [0.5]])).toEqual({ mean: 0.5, low: 0.5, high: 0.5 })
})

test('every query counts once in the mean, however many a meeting has', () => {
  expect(bootstrapMean([[1], [0, 0, 0]])).toMatchObject({ mean: 0.25, low: 0, high: 1 })
})

test('meetings without a value change nothing', () => {
  expect(bootstrapMean([[1, 0], [], [0, 1]])).toEqual(
    bootstrapMean([
      [1, 0],
      [0, 1]
    ])
  )
})

test('queries that agree within their meeting give a wider interval than independent ones', () => {
  const together = bootstrapMean(Array.from({ length: 20 }, (_, n) => Array.from({ length: 10 }, () => n % 2)))
  const alone = bootstrapMean(Array.from({ length: 200 }, (_, n) => [n % 2]))
  expect(together.mean).toBe(alone.mean)
  expect(together.high - together.low).toBeGreaterThan(2 * (alone.high - alone.low))
})

test('the same library has the same sets of queries every time', () => {
  const sessions = makeSessions()
  expect(makeSessions()).toEqual(sessions)
  expect(nameSets(makeSessions(), 'made')).toEqual(nameSets(sessions, 'made'))
  expect(periodSet(makeSessions(), 'made')).toEqual(periodSet(sessions, 'made'))
})

test('every session of the made library has a guest of its own, with or without accents', () => {
  const guests = makeSessions().map(({ guest }) => withoutAccents(guest))
  expect(guests).toHaveLength(200)
  expect(new Set(guests).size).toBe(200)
})

test('a name with a typo is no name of the library', () => {
  const sessions = makeSessions()
  const words = new Set(sessions.flatMap(({ guest }) => withoutAccents(guest).split(' ')))
  const [, , mistyped] = nameSets(sessions, 'made')
  const right = mistyped?.queries.filter(({ text }) =>
    text.split(' ').every(word => words.has(word) || /^[a-z]/.test(word))
  )
  expect(right).toEqual([])
})

test('a question for person and period is asked after the session it is about', () => {
  const sessions = makeSessions()
  const { queries } = periodSet(sessions, 'made')
  const startedAt = new Map(sessions.map(({ document, at }) => [document.external_id, at]))
  expect(queries.length).toBeGreaterThan(180)
  expect(queries.filter(({ session, now }) => !now || now <= (startedAt.get(session) ?? now))).toEqual([])
})

test('four languages have ten sessions each among two hundred', () => {
  const { library, sets } = languageSets(makeSessions(), 'languages')
  expect(library.documents).toHaveLength(200)
  expect(sets.map(({ queries }) => queries.length)).toEqual([40, 40])
})

test('a synonym replaces a word that the meeting uses, and is one that it does not use', () => {
  const synonyms: Record<string, string[]> = { purchase: ['buy', 'acquire'], car: ['automobile'], plan: ['scheme'] }
  const ask = (text: string, transcript: string) =>
    withSynonyms(
      [{ text, session: 'one' }],
      () => transcript,
      lemma => synonyms[lemma] ?? []
    ).map(query => query.text)

  expect(ask('Why was it purchased?', 'They purchase it, and buy more.')).toEqual(['Why was it acquired?'])
  expect(ask('What about plans?', 'The plan and another scheme.')).toEqual([])
  expect(ask('What about plans?', 'Nothing of the kind.')).toEqual([])
  expect(ask('What about plans?', 'One plan.')).toEqual(['What about schemes?'])
})

test('a quoted phrase is of words that many meetings use, in an order that only one has', () => {
  const words = 'about after again their think would could should people things'.split(' ')
  const meetings = Array.from({ length: 24 }, (_, n) => {
    const order = openRandom(n).shuffle(words)
    return {
      external_id: `m${n}`,
      title: '',
      timestamp: '',
      type: 'meeting',
      segments: toSegments([{ speaker: 'A', text: order.join(' ') }])
    }
  })
  const { queries } = phraseSet(meetings, 'meetings')
  expect(queries.length).toBeGreaterThan(0)
  for (const { text, session } of queries) {
    const phrase = text.replace(/^who said |["“”]/g, '')
    expect(
      meetings.filter(({ segments }) => segments[0]?.text.includes(phrase)).map(({ external_id: id }) => id)
    ).toEqual([session])
  }
})
