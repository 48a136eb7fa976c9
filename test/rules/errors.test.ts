import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ERROR_MEANING, ERROR_STATUS } from '../../src/contract/errors.ts'
import { nodesOf } from './source.ts'

const names = readdirSync('test/api', { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.test.ts'))

test('an API test names each error code', () => {
  const literals = names.flatMap(name => nodesOf(readFileSync(`test/api/${name}`, 'utf8')).filter(({ type }) => type === 'Literal'))
  const expected = new Set(literals.map(({ value }) => value))
  expect(Object.keys(ERROR_STATUS).filter(code => !expected.has(code))).toEqual([])
})

test('every code says what it means', () => {
  expect(Object.keys(ERROR_MEANING)).toEqual(Object.keys(ERROR_STATUS))
})
