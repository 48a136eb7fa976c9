// @module-tag postgres

import { describe, expect, test } from 'vitest'
import type { OpenDatabase } from '../../src/platform/db/open.ts'
import { command, commandJson } from '../support/command.ts'
import {
  deleteSession,
  fileIn,
  newOwner,
  onPostgres,
  openPlace,
  type Place,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'
import { canRunCluster, ownCluster, startReplica } from './cluster.ts'

const SLOW = { timeout: 600_000 }
const FELL_BACK = 'The replica does not answer; searches read from the primary'

/** A server on a database with a replica, and an owner with one conversation. */
async function openScene() {
  const { cluster, place } = await ownCluster(undefined, '')
  const replica = await startReplica(cluster)
  const environment = { ...place.environment, DATABASE_REPLICA_URL: replica.url, SEARCH_WAIT_MS: '10000' }
  const scene = { ...place, environment }
  const server = await serve(scene)
  const owner = await newOwner(scene)
  const beside = await openPlace({ ...place, url: replica.url })
  const search = async (query: string) => {
    const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json', connection: 'close' }
    const request = { method: 'POST', headers, body: JSON.stringify({ query }) }
    // A busy server may refuse a search.
    const { status, results } = await until('the search is answered', async () => {
      const reply = await fetch(`${server.url}/v1/sessions/search`, request)
      const { results } = Object(await reply.json())
      return reply.status === 503 ? undefined : { status: reply.status, results }
    })
    return { status, ids: results.map(({ id }: { id: string }) => id) }
  }
  return { scene, server, owner, replica, beside, search, sessionId: await imported(scene, owner.id, INVOICE) }
}

/** How many connections the server has there: it makes them for what it asks. */
async function comparing({ pool }: OpenDatabase) {
  const { rowCount } = await pool.query(
    "select from pg_stat_activity where application_name = 'parlance serve' and state = 'idle'"
  )
  return rowCount ?? 0
}

const INVOICE = 'Ada: The invoice of the supplier has to be paid before the end of the month.'
const VOLCANO = 'Ben: The volcano on the island has been quiet since the spring.'

async function imported(place: Place, userId: string, text: string) {
  const [session] = await commandJson(
    place,
    'import',
    '--user',
    userId,
    '--wait',
    fileIn(temporaryFolder(), 'said.txt', text)
  )
  return String(session?.session_id)
}

describe.runIf(onPostgres && canRunCluster)('searches of a server with a replica', () => {
  test('compare there; what is deleted is not shown, however far the replica is behind', SLOW, async () => {
    const { scene, server, owner, beside, search, sessionId } = await openScene()
    await until('the replica has the conversation', async () => (await search('supplier invoice')).ids[0] === sessionId)
    expect(await comparing(beside)).toBeGreaterThan(0)

    await beside.pool.query('select pg_wal_replay_pause()')
    const later = await imported(scene, owner.id, VOLCANO)
    expect(await deleteSession(server, owner.token, sessionId)).toBeLessThan(300)
    expect(await search('supplier invoice')).toEqual({ status: 200, ids: [] })
    const behind = await command(scene, 'doctor')
    expect(behind.stdout).toMatch(/replica.*[1-9][\d,]* bytes behind the database/)

    // What is replayed at once may cancel the statement itself, in conflict with its snapshot.
    const resume = () => beside.pool.query('select pg_wal_replay_resume()').catch(() => undefined)
    await until('the replay goes on', resume)
    await until('the replica has caught up', async () => (await search('quiet volcano')).ids[0] === later)
    expect(server.output.stdout).not.toContain(FELL_BACK)
  })

  test('go on without it while it is away, and go back to it', SLOW, async () => {
    const { scene, server, replica, beside, search, sessionId } = await openScene()
    await until('the replica has the conversation', async () => (await search('supplier invoice')).ids[0] === sessionId)
    await beside.close()
    replica.stop('immediate')
    for (let n = 0; n < 5; n++) expect(await search('supplier invoice')).toEqual({ status: 200, ids: [sessionId] })
    // Once, and not with every search.
    expect(server.output.stdout.split(FELL_BACK).length - 1).toBe(1)
    const { code, stdout } = await command(scene, 'doctor')
    expect([code, stdout]).toEqual([1, expect.stringMatching(/replica.*ECONNREFUSED/)])

    replica.start()
    const again = await openPlace({ ...scene, url: replica.url })
    await until('the replica is asked again', async () => {
      expect((await search('supplier invoice')).ids).toEqual([sessionId])
      return await comparing(again)
    })
  })

  test(
    'are refused a primary for a replica by doctor, and a replica without DATABASE_URL by the start',
    SLOW,
    async () => {
      const { place } = await ownCluster(undefined, '')
      const itself = { ...place.environment, DATABASE_REPLICA_URL: place.url }
      const { code, stdout } = await command({ environment: itself }, 'doctor')
      expect([code, stdout]).toEqual([
        1,
        expect.stringContaining('DATABASE_REPLICA_URL is no replica: it takes changes of its own')
      ])
      const alone = await command(
        { environment: { DATA_DIR: place.dataDir, DATABASE_REPLICA_URL: place.url } },
        'doctor'
      )
      expect([alone.code, alone.stderr]).toEqual([
        1,
        expect.stringContaining('DATABASE_REPLICA_URL: needs DATABASE_URL')
      ])
    }
  )
})
