import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PAGES } from '../matrix/pages.ts'
import { NO_VIEWS, VIEWS } from '../matrix/views.ts'

test('every page of the console is in the list that tests of looks and of access by keyboard read', () => {
  const shown = Object.keys(PAGES).filter(name => name.startsWith('GET '))
  expect([...Object.keys(VIEWS), ...Object.keys(NO_VIEWS)].sort()).toEqual(shown.sort())
})

test('the guide to a path below a host name has the first part of every page', () => {
  const guide = readFileSync(new URL('../../docs/install.md', import.meta.url), 'utf8')
  const [, list = ''] = /because the server has pages there: ([^.]+)\./.exec(guide) ?? []
  const parts = Object.keys(PAGES).flatMap(name => /\/[a-z\d-]+/.exec(name) ?? [])
  expect([...new Set(parts)].filter(part => !list.includes(`\`${part}\``))).toEqual([])
})
