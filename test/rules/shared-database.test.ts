import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** A call that removes the old rows of all users, and its arguments. */
const REMOVAL = /\b(remove(?:Expired|Leftover|Old|Unshared|Unused)\w*)\(([^;]*?)\)\n/g
const OWN_DATABASE = /\b(?:ownServer|(?:migrated|empty)Database|freshDatabase)\(/

const tests = globSync('test/{api,db,process,browser,faults}/**/*.test.ts').map(file => [
  file,
  readFileSync(file, 'utf8')
])

/** Returns the calls that remove rows by another time than the one at which all tests make theirs. */
function earlyRemovals(text = '') {
  const calls = [...text.matchAll(REMOVAL)].filter(([, , given]) => !/, (?:clock\.now\(\)|NOW\b)/.test(given!))
  return calls.map(([, name]) => name)
}

test('what removes the rows of all users by a clock that was moved ahead has a database of its own', () => {
  const careless = tests.filter(([, text]) => earlyRemovals(text).length > 0 && !OWN_DATABASE.test(text!))
  expect(careless.map(([file]) => file)).toEqual([])
})

test('such a call is seen, and one by the clock of all tests is let through', () => {
  expect(earlyRemovals('  await removeOldRows(user.db, at(2 * DAY_MS), signal)\n')).toEqual(['removeOldRows'])
  expect(earlyRemovals('  await removeOldRows(user.db, clock.now(), signal)\n')).toEqual([])
  expect(tests.some(([, text]) => earlyRemovals(text).length > 0)).toBe(true)
})
