// @module-tag postgres

import { describe, expect, test } from 'vitest'
import { endOf, migratedDatabase, onPostgres, serve, until } from '../support/process.ts'
import { startBalancer } from './balancer.ts'
import { LONG, loadOf, UNLIMITED } from './load.ts'

/** FAULTS=long replaces each instance five times. */
const ROLLS = LONG ? 10 : 2
const SLOW = { timeout: LONG ? 900_000 : 600_000 }

describe.runIf(onPostgres)('two instances behind a balancer', () => {
  test('replaced one after the other under load, fail no request and lose nothing acknowledged', SLOW, async () => {
    const fresh = await migratedDatabase()
    const place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED } }
    const instances = [await serve(place), await serve(place)]
    const balancer = await startBalancer([...instances])
    const load = await loadOf(place)
    const stop = load.start([balancer])
    for (let roll = 0; roll < ROLLS; roll++) {
      const index = roll % 2
      const old = instances[index]!
      old.kill('SIGTERM')
      const ended = await endOf(old, 40_000)
      const complaints = ended.stdout.split('\n').filter(line => !line.includes('"level":30'))
      expect(ended, complaints.join('\n')).toMatchObject({ code: 0, signal: null, stderr: '' })
      const next = await serve(place)
      instances[index] = next
      balancer.replace(index, next)
      await until('the balancer knows of it', () => balancer.isReady(next))
    }
    const { statuses, strange } = await stop()
    expect({ statuses: [...statuses.keys()], strange }).toEqual({ statuses: [200], strange: [] })
    expect(statuses.get(200)).toBeGreaterThan(100)
    expect(await load.check()).toBeGreaterThan(0)
  })
})
