import { expect, test } from 'vitest'
import { preferredType } from '../../../src/platform/net/accept.ts'
import { isNamed } from '../../../src/platform/net/entity-tag.ts'

const TYPES = ['application/json', 'text/csv'] as const

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv'],
  ['text/csv, application/json', 'application/json'],
  ['application/json, text/csv', 'application/json'],
  ['text/csv, application/json;q=0.9', 'text/csv'],
  ['text/csv;q=0.5, application/json;q=0.5', 'application/json'],
  ['text/csv, */*', 'text/csv'],
  ['image/png', 'application/json']
])('of the types that Accept: %s names, JSON wins if none is preferred: %s', (accept, type) => {
  expect(preferredType(accept, TYPES)).toBe(type)
})

test.each([
  ['"a"', '"a"', true],
  ['W/"a"', '"a"', true],
  ['"a"', 'W/"a-gzip"', true],
  ['"a"', '"b", "a-br"', true],
  ['"a"', '*', true],
  ['"a"', '"b"', false],
  ['"a-gzip"', '"b-gzip"', false],
  ['"a"', undefined, false]
])('the tag %s is named by %s: %s, whatever a compressing proxy has added', (tag, header, named) => {
  expect(isNamed(tag, header)).toBe(named)
})
