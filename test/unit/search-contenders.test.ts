import { expect, test } from 'vitest'
import { listContenders, nearestUnknown, rankSessions } from '../../src/search/fuse.ts'
import type { Scored } from '../../src/search/queries.ts'
import { drawer } from '../support/drawn.ts'

const LIMIT = 10
const NEAREST = 30
const WORTH = 20
const WEIGHTS = { session: 7, passage: 1 }

function drawn(seed: number) {
  const draw = drawer(seed)
  const all = Array.from({ length: 120 }, (_, at) => ({
    sessionId: `ses_${at}`,
    best: draw() ** 3 * 60,
    everywhere: draw() * 10,
    about: draw() * 4,
    passages: new Map<number, number>(),
    similarity: draw() * 0.8
  }))
  const nearest = all.toSorted((a, b) => b.similarity - a.similarity).slice(0, NEAREST)
  return { all, partly: all.map(one => (nearest.includes(one) ? one : { ...one, similarity: undefined })) }
}

function idsShown(sessions: Scored[]) {
  return rankSessions(sessions, WORTH, WEIGHTS)
    .slice(0, LIMIT)
    .map(({ sessionId }) => sessionId)
}

test('comparing the contenders alone shows the same sessions in the same order as comparing all', () => {
  let contenders = 0
  for (let seed = 1; seed <= 300; seed++) {
    const { all, partly } = drawn(seed)
    const chosen = new Set(listContenders(partly, LIMIT, WORTH, WEIGHTS).map(({ sessionId }) => sessionId))
    contenders += chosen.size
    const compared = all.filter((one, at) => partly[at]?.similarity !== undefined || chosen.has(one.sessionId))
    expect(idsShown(compared), `seed ${seed}`).toEqual(idsShown(all))
  }
  expect(contenders / 300).toBeLessThan((120 - NEAREST) / 2)
})

test('once those that promise most are compared, few contenders are left, and nobody who is shown is missing', () => {
  let left = 0
  for (let seed = 1; seed <= 300; seed++) {
    const { all, partly } = drawn(seed)
    const nearest = nearestUnknown(partly)
    const similarities = new Map(all.map(({ sessionId, similarity }) => [sessionId, similarity]))
    const first = new Set(
      listContenders(partly, LIMIT, WORTH, WEIGHTS)
        .slice(0, LIMIT)
        .map(({ sessionId }) => sessionId)
    )
    const known = partly.map(one => (first.has(one.sessionId) ? { ...one, similarity: similarities.get(one.sessionId) } : one))
    const others = new Set(listContenders(known, LIMIT, WORTH, WEIGHTS, nearest).map(({ sessionId }) => sessionId))
    left += others.size
    const compared = all.filter((one, at) => known[at]?.similarity !== undefined || others.has(one.sessionId))
    expect(idsShown(compared), `seed ${seed}`).toEqual(idsShown(all))
  }
  expect(left / 300).toBeLessThan(LIMIT)
})

test('while the words of the nearest are not scored yet, nobody who may be shown is missing among the contenders', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const { partly } = drawn(seed)
    const unscored = partly.map(one => (one.similarity === undefined ? one : { ...one, best: 0, everywhere: 0, about: 0 }))
    const idsOf = (sessions: typeof partly) => listContenders(sessions, LIMIT, WORTH, WEIGHTS).map(({ sessionId }) => sessionId)
    expect(idsOf(unscored), `seed ${seed}`).toEqual(expect.arrayContaining(idsOf(partly)))
  }
})

test('where fewer are known than are to be shown, all others are contenders; so are sessions without vectors', () => {
  const { partly } = drawn(1)
  const few = partly.slice(0, 12)
  const contenders = listContenders(few, 12, WORTH, WEIGHTS)
  expect(new Set(contenders)).toEqual(new Set(few.filter(({ similarity }) => similarity === undefined)))
  const none = partly.map(one => ({ ...one, similarity: undefined }))
  expect(listContenders(none, LIMIT, WORTH, WEIGHTS).length).toBeGreaterThanOrEqual(LIMIT)
})
