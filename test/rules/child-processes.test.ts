import { expect, test } from 'vitest'
import { files, read } from './source.ts'

/**
 * The one way to run a program of others, the one to run a program of ours, and the program that creates a database. None passes on the settings of
 * the server, which hold secrets.
 */
const STARTERS = ['platform/db/embedded/create.ts', 'platform/work/child-program.ts', 'platform/work/process-pool.ts']

test('only these files start processes, however they load the module for it', () => {
  const starters = files.filter(file => /child_process|['"](node:)?cluster['"]/.test(read(file)))
  expect(starters).toEqual(STARTERS)
})
