import { expect, test } from 'vitest'
import { PAGES } from '../matrix/pages.ts'
import { NO_VIEWS, VIEWS } from '../matrix/views.ts'

test('every page of the console is in the list that tests of looks and of access by keyboard read', () => {
  const shown = Object.keys(PAGES).filter(name => name.startsWith('GET '))
  expect([...Object.keys(VIEWS), ...Object.keys(NO_VIEWS)].sort()).toEqual(shown.sort())
})
