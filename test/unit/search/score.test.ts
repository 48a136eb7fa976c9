import { expect, test } from 'vitest'
import { scorePostings, type TermPosting } from '../../../src/features/search/candidates.ts'

const IDFS = [
  { term: 'budget', byPassage: 3, bySession: 2 },
  { term: 'remote', byPassage: 1, bySession: 1 }
]
const scoreOf = (postings: TermPosting[], relativeLength = 1) => scorePostings(postings, IDFS, relativeLength).score

function said(word: number, weights: Record<number, number>): TermPosting {
  const ordinals = Object.keys(weights).map(Number)
  return { word, part: 'said', passages: ordinals.length, most: 0, ordinals, weights: Object.values(weights) }
}

function about(word: number, most: number): TermPosting {
  return { word, part: 'about', passages: 1, most, ordinals: [], weights: [] }
}

test('words in one passage score higher than the same words in passages far from each other', () => {
  expect(scoreOf([said(0, { 4: 1 }), said(1, { 4: 1 })])).toBeGreaterThan(
    scoreOf([said(0, { 4: 1 }), said(1, { 8: 1 })])
  )
})

test('words of the neighbouring passage count, and less than those of the passage itself', () => {
  const [here, beside, away] = [4, 5, 6].map(ordinal => scoreOf([said(0, { 4: 1 }), said(1, { [ordinal]: 1 })]))
  expect(here).toBeGreaterThan(beside ?? 0)
  expect(beside).toBeGreaterThan(away ?? 0)
})

test('a word counts more in a short session than in a long one', () => {
  expect(scoreOf([said(0, { 4: 1 })], 0.3)).toBeGreaterThan(scoreOf([said(0, { 4: 1 })], 3))
})

test('what is written counts, said or not, and less than what is said', () => {
  expect(scoreOf([about(0, 2)])).toBe(1.5)
  const [spoken, written, both] = [[said(0, { 4: 2 })], [about(0, 2)], [said(0, { 4: 2 }), about(0, 2)]].map(postings =>
    scoreOf(postings)
  )
  expect(both).toBe((spoken ?? 0) + (written ?? 0))
  expect(spoken).toBeGreaterThan(written ?? 0)
})

test('the lexical score of each passage is known', () => {
  const { passages } = scorePostings([said(0, { 4: 1, 5: 2 }), said(1, { 5: 1 }), about(0, 2)], IDFS, 1)
  expect([...passages]).toEqual([
    [4, 3],
    [5, 7]
  ])
})

test('a session without any of the words scores nothing', () => {
  expect(scoreOf([])).toBe(0)
})
