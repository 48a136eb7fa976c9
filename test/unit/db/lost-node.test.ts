import { expect, test } from 'vitest'
import { isConnectionLost, isNodeAway, isNodeDown, loggable } from '../../../src/platform/db/errors.ts'

const ofServer = (code: string, message: string) => Object.assign(new Error(message), { code, severity: 'ERROR' })

const COMMIT = 'could not commit transaction for shard 102085 on at least one active node'

/** Errors of a Citus coordinator that loses a worker. */
const LOST = [
  [
    '08006',
    'connection to the remote node parlance@127.0.0.1:5502 failed with the following error: connection not open'
  ],
  ['57P01', 'terminating connection due to unexpected postmaster exit'],
  ['XX000', COMMIT],
  ['XX000', "failed to prepare transaction 'citus_0_1_2_3' on host 127.0.0.1:5502"],
  ['XX000', 'failure on connection marked as essential: 127.0.0.1:5502'],
  ['XX000', 'execution cannot recover from multiple connection failures. Last node failed 127.0.0.1:5502'],
  ['XX000', 'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally'],
  ['XX000', 'could not receive data from server: Connection reset by peer'],
  ['XX000', 'could not send data to server: Broken pipe'],
  ['XX000', 'SSL SYSCALL error: EOF detected'],
  ['XX000', 'SSL connection has been closed unexpectedly'],
  ['XX000', 'FATAL:  terminating connection due to unexpected postmaster exit'],
  ['XX000', 'Connection refused']
] as const

test.each(LOST)('a node is down: %s %s', (code, message) => {
  const error = ofServer(code, message)
  expect([isNodeDown(error), isNodeAway(error)]).toEqual([true, true])
  expect(isNodeDown(new Error('Failed query: commit', { cause: error }))).toBe(true)
  expect(isConnectionLost(error)).toBe(false)
  expect(loggable(error)).toMatchObject({ code, message })
})

test.each([
  ['XX000', 'cache lookup failed for relation 16385'],
  ['XX000', 'invalid value: server closed the connection unexpectedly'],
  ['23505', COMMIT]
])('a node is not down: %s %s', (code, message) => {
  const error = ofServer(code, message)
  expect([isNodeDown(error), isNodeAway(error)]).toEqual([false, false])
  expect(loggable(error)).toMatchObject({ message: 'a statement failed' })
})
