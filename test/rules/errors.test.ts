import { expect, test } from 'vitest'
import { ERROR_MEANING, ERROR_STATUS } from '../../src/contract/errors.ts'

// test/api/http/error-codes.test.ts provokes each of them: its table must have every code.
test('every code says what it means', () => {
  expect(Object.keys(ERROR_MEANING)).toEqual(Object.keys(ERROR_STATUS))
})
