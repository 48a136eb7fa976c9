import { expect, test } from 'vitest'
import { scorePostings, type TermPosting } from '../../src/search/score.ts'

const WORTHS = [
  { stem: 'budget', byPassage: 3, bySession: 2 },
  { stem: 'remote', byPassage: 1, bySession: 1 }
]
const USUAL = 10
const scoreOf = (postings: TermPosting[], length = USUAL) => scorePostings(postings, WORTHS, length, USUAL)

function said(word: number, weights: Record<number, number>): TermPosting {
  const ordinals = Object.keys(weights).map(Number)
  return { word, part: 'said', passages: ordinals.length, most: 0, ordinals, weights: Object.values(weights) }
}

function about(word: number, most: number): TermPosting {
  return { word, part: 'about', passages: 1, most, ordinals: [], weights: [] }
}

test('words in one passage answer better than the same words in passages far from each other', () => {
  const together = scoreOf([said(0, { 4: 1 }), said(1, { 4: 1 })])
  const apart = scoreOf([said(0, { 4: 1 }), said(1, { 8: 1 })])
  expect(together.best).toBeGreaterThan(apart.best)
  expect(together.everywhere).toBe(apart.everywhere)
})

test('what stands in the passage beside counts, and less than what stands in the passage itself', () => {
  const [here, beside, away] = [4, 5, 6].map(ordinal => scoreOf([said(0, { 4: 1 }), said(1, { [ordinal]: 1 })]).best)
  expect(here).toBeGreaterThan(beside ?? 0)
  expect(beside).toBeGreaterThan(away ?? 0)
})

test('of many passages the three best count', () => {
  const three = scoreOf([said(0, { 0: 2, 10: 2, 20: 2 })]).best
  expect(three).toBeCloseTo((3 * 2 * 5) / 1.15, 6)
  expect(scoreOf([said(0, { 0: 2, 10: 2, 20: 2, 30: 1, 40: 2 })]).best).toBeCloseTo(three, 6)
  expect(scoreOf([said(0, { 0: 2, 10: 2, 20: 1 })]).best).toBeLessThan(three)
})

test('a word tells more of a short session than of a long one', () => {
  expect(scoreOf([said(0, { 4: 1 })], 3).everywhere).toBeGreaterThan(scoreOf([said(0, { 4: 1 })], 30).everywhere)
})

test('what is written counts in full where nobody says it, and less where it is said as well', () => {
  expect(scoreOf([about(0, 2)])).toEqual({ best: 0, everywhere: 0, about: 6, passages: new Map() })
  expect(scoreOf([about(0, 2), said(1, { 4: 1 })]).about).toBe(6)
  expect(scoreOf([about(0, 2), said(0, { 4: 1 })]).about).toBeCloseTo(0.3 * 6, 9)
})

test('a session without any of the words scores nothing', () => {
  expect(scoreOf([])).toEqual({ best: 0, everywhere: 0, about: 0, passages: new Map() })
})
