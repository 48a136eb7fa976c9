import { expect, test, vi } from 'vitest'
import { openOutages } from '../../../src/interfaces/http/outages.ts'

const ofServer = (code: string) => Object.assign(new Error(code), { code, severity: 'ERROR' })
const PATIENT = { timeout: 30_000 }
const NODE_AWAY = ofServer('08006')
const LOCK_TIMEOUT = ofServer('55P03')

/** A log whose database and node are away until `back`. */
function watched(away: { database: boolean; node: boolean }) {
  const lines: string[] = []
  const written = (name: string) => ({
    unavailable: () => void lines.push(`${name} away`),
    available: ({ errors }: { errors: number }) => void lines.push(`${name} back after ${errors} errors`)
  })
  const outages = openOutages({
    database: written('database'),
    node: written('node'),
    more: ({ errors }) => void lines.push(`${errors} more`)
  })
  const asking = (name: keyof typeof away) => async () => {
    if (away[name]) throw new Error('away')
  }
  outages.watch(asking('database'), asking('node'))
  const log = (error: Error) => outages.holds(error, () => void lines.push(`logged ${error.message}`))
  return { lines, log }
}

test('a node that is away is a line at its start and a line at its end, whatever fails meanwhile', async () => {
  const away = { database: false, node: true }
  const { lines, log } = watched(away)
  for (let n = 0; n < 256; n++) expect(log(NODE_AWAY)).toBe(true)
  await vi.waitUntil(() => lines.length > 0, PATIENT)
  for (let n = 0; n < 44; n++) log(new Error('Failed query', { cause: NODE_AWAY }))
  away.node = false
  await vi.waitUntil(() => lines.length > 1, PATIENT)
  expect(lines).toEqual(['node away', 'node back after 300 errors'])
})

test('an error of a single statement is logged also while a node is away', async () => {
  const { lines, log } = watched({ database: false, node: true })
  log(NODE_AWAY)
  await vi.waitUntil(() => lines.length > 0, PATIENT)
  log(LOCK_TIMEOUT)
  await vi.waitUntil(() => lines.length > 1, PATIENT)
  expect(log(new Error('a bug'))).toBe(false)
  expect(lines).toEqual(['node away', 'logged 55P03'])
})

test('an error of a node that answers is logged', async () => {
  const { lines, log } = watched({ database: false, node: false })
  log(NODE_AWAY)
  await vi.waitUntil(() => lines.length > 0, PATIENT)
  expect(lines).toEqual(['logged 08006'])
})
