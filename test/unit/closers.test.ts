import { expect, test } from 'vitest'
import { closeAll } from '../../src/core/closers.ts'

test('closes the last opened first, and the others although one cannot be closed, which is told of', async () => {
  const closed: string[] = []
  const closing = (name: string, fault?: Error) => async () => {
    closed.push(name)
    if (fault) throw fault
  }
  const opened = [closing('database'), closing('jobs', new Error('no jobs')), closing('port', new Error('no port')), closing('dispatcher')]
  await expect(closeAll(opened)).rejects.toThrow('no port')
  expect(closed).toEqual(['dispatcher', 'port', 'jobs', 'database'])
})
