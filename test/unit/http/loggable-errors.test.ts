import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { DrizzleQueryError } from '../../../src/platform/db/drizzle.ts'
import { loggable } from '../../../src/platform/db/errors.ts'

const ofServer = (code: string, message: string) => Object.assign(new Error(message), { code })

test.each([
  ['53100', 'could not extend file "base/5/2619": No space left on device'],
  ['53300', 'remaining connection slots are reserved'],
  ['57014', 'canceling statement due to statement timeout'],
  ['40P01', 'deadlock detected']
])('the log says why the database cannot serve now: %s', (code, message) => {
  expect(loggable(ofServer(code, message))).toMatchObject({ code, message })
})

test.each([
  ['22P02', 'invalid input syntax for type integer: "a secret"'],
  ['23505', 'duplicate key value violates unique constraint "a secret"']
])('the log never has the values of a statement: %s', (code, message) => {
  const failed = new DrizzleQueryError('select $1', ['a secret'], ofServer(code, message))
  expect(JSON.stringify(loggable(failed))).not.toContain('a secret')
  expect(loggable(failed)).toMatchObject({
    message: 'a statement failed',
    cause: { code, message: 'a statement failed' }
  })
})

test('the log never has the path of a file, nor a line of a message that looks like a frame', async () => {
  const name = 'a secret\n    at another secret'
  const failed: Error = await readFile(`/nowhere/${name}`).catch(error => error)
  expect(failed.message).toContain('a secret')
  const wrapped = new Error('It cannot be read', { cause: failed })
  for (const error of [failed, wrapped]) expect(JSON.stringify(loggable(error))).not.toContain('secret')
  expect(loggable(failed)).toMatchObject({ code: 'ENOENT', message: 'open failed: ENOENT' })
  const told = new Error('first line\n    at a secret')
  expect(loggable(told).stack).not.toContain('a secret')
  expect(loggable(told).stack).toContain('loggable-errors.test.ts')
})
