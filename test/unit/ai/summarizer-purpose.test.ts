import { expect, test } from 'vitest'
import { openLanguage } from '../../../src/platform/ai/summarizer/language.ts'
import { readSubject, toTitle } from '../../../src/platform/ai/summarizer/purpose.ts'

const ENGLISH = openLanguage('en')

test.each([
  ['Today we will talk about the budget of the choir.', 'the budget of the choir'],
  ["We're here to discuss our new website, and then the prices.", undefined],
  ['Welcome everyone to the conceptual design meeting.', 'the conceptual design meeting'],
  ['The purpose of this call is to review the contract with Acme because it ends.', 'the contract with Acme'],
  ['The topic is about the prices of the website.', 'the prices of the website'],
  ['Welcome to the Children, Young People and Education Committee.', undefined],
  ['Welcome to the meeting.', undefined],
  ['Today we will talk about it.', undefined],
  ['The heating is old.', undefined]
])('%j opens a conversation about %j', (said, subject) => {
  expect(readSubject(said, ENGLISH)).toBe(subject)
})

test('a title is the purpose without its article, or else the subjects', () => {
  expect(toTitle({ subject: 'the budget', lines: [] }, ['choir'], ENGLISH)).toBe('Budget')
  expect(toTitle(undefined, ['choir', 'rooms', 'prices'], ENGLISH)).toBe('Choir, rooms and prices')
  expect(toTitle(undefined, ['Chor', 'Räume'], openLanguage('de'))).toBe('Chor, Räume')
  expect(toTitle(undefined, [], ENGLISH)).toBeUndefined()
})
