import { randomBytes } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { ALL_SCOPES } from '../../src/contract/scopes.ts'
import { migratedDatabase, newOwner, onPostgres, openPlace, serve, until } from '../support/process.ts'
import { addSession } from '../support/server.ts'
import { LONG, report, UNLIMITED } from './load.ts'

/** FAULTS=long makes as many changes as one token may make in a day. */
const CHANGES = LONG ? 10_000 : 400
const AT_ONCE = 4

test.runIf(!onPostgres)(
  'a day of large changes leaves the embedded database at most twice as large as what it holds, and a kill costs little time',
  { timeout: LONG ? 7_200_000 : 600_000 },
  async () => {
    const fresh = await migratedDatabase()
    const place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED } }
    const owner = await newOwner(place, ALL_SCOPES)
    const opened = await openPlace(place)
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, n) => addSession(owner.id, { external_id: `${n}` }, undefined, opened.db))
    )
    await opened.close()
    const server = await serve(place)
    let left = CHANGES
    const change = async () => {
      while (left-- > 0) {
        // One word to the index, and nothing to compress: what counts is the size.
        const body = JSON.stringify({ notes: randomBytes(25_000).toString('hex') })
        const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' }
        const url = `${server.url}/v1/sessions/${ids[left % ids.length]}`
        // A busy server refuses one that waits for long.
        const status = await until('it is changed', async () => {
          const { status } = await fetch(url, { method: 'PATCH', headers, body })
          return status === 503 ? undefined : status
        })
        expect(status).toBe(200)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, change))
    server.kill('SIGKILL')
    await server.ended
    const crashed = bytesIn(fresh.dataDir)
    const startedAt = performance.now()
    const { engine, close } = await openPlace(place)
    // Without the deadline of the server's own connections.
    const client = new pg.Client({
      host: engine!.socketDir,
      user: 'postgres',
      database: 'postgres',
      application_name: 'parlance test'
    })
    await client.connect()
    const recoveryMs = performance.now() - startedAt
    await client.query('vacuum full')
    await client.query('checkpoint')
    await client.end()
    await close()
    const live = bytesIn(fresh.dataDir)
    report(
      `${CHANGES} large changes: ${mib(crashed)} MiB of which ${mib(live)} hold something, recovered in ${Math.round(recoveryMs)} ms`
    )
    expect(crashed / live).toBeLessThanOrEqual(2)
  }
)

function bytesIn(folder: string) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => statSync(join(folder, name)))
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
}

function mib(bytes: number) {
  return Math.round(bytes / 2 ** 20)
}
