// @module-tag postgres

import { expect, test } from 'vitest'
import { updateUser } from '../../src/features/access/queries.ts'
import { localMedia } from '../../src/features/recordings/local-store.ts'
import { mediaKey } from '../../src/features/recordings/store.ts'
import { newId } from '../../src/platform/core/ids.ts'
import { openDiskReserve } from '../../src/platform/work/disk-reserve.ts'
import { UNLIMITED } from '../faults/load.ts'
import {
  fileIn,
  migratedDatabase,
  newOwner,
  onPostgres,
  openPlace,
  type Place,
  serve,
  until
} from '../support/process.ts'
import { claim } from '../support/sharing.ts'

const SOUND = 'the recording'

type Owner = Awaited<ReturnType<typeof newOwner>>

async function ask(url: string, token?: string, method = 'GET', body?: object) {
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body && { 'content-type': 'application/json' })
  }
  const reply = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: reply.status, text: await reply.text() }
}

/** A session of a new owner, with a recording, an item and a transcript, shared with nobody yet. */
async function ownedSession(place: Place) {
  const owner = await newOwner(place)
  const sessionId = newId('ses')
  const { db, pool, close } = await openPlace(place)
  await updateUser(db, owner.id, { emailVerifiedAt: new Date() })
  const item = {
    id: newId('ai'),
    text: 'Send the offer',
    completed: false,
    assignee: null,
    due_date: null,
    source: 'agent'
  }
  await pool.query(
    `insert into sessions (user_id, session_id, state, title, summary, action_items, sort_at, duration_seconds, type, created_at, updated_at)
     values ($1, $2, 'completed', 'Weekly', 'Given.', $3, now(), 1, 'meeting', now(), now())`,
    [owner.id, sessionId, JSON.stringify([item])]
  )
  const key = mediaKey({ userId: owner.id, sessionId, kind: 'audio' }, 'mp3')
  await localMedia(`${place.dataDir}/media`, openDiskReserve(0)).put(
    key,
    fileIn(place.dataDir, 'sound', SOUND),
    'audio/mpeg'
  )
  await pool.query(
    `insert into media (user_id, session_id, kind, key, content_type, bytes, created_at) values ($1, $2, 'audio', $3, 'audio/mpeg', $4, now())`,
    [owner.id, sessionId, key, SOUND.length]
  )
  await close()
  return { owner, sessionId }
}

const REVOCATIONS = [
  {
    by: 'removing the recipient',
    method: 'DELETE',
    path: (recipient: Owner) => `/people/${recipient.id}`,
    body: undefined
  },
  { by: 'a reset that removes everyone', method: 'POST', path: () => '/link/reset', body: { remove_everyone: true } }
]
const ROUNDS = 4

test.runIf(onPostgres).each(REVOCATIONS)(
  'of two servers, neither lets a recipient read anything from the moment that one has answered $by',
  { timeout: 300_000 },
  async ({ method, path, body }) => {
    const fresh = await migratedDatabase()
    const place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED } }
    const [one, other] = await Promise.all([serve(place), serve(place)])
    const recipient = await newOwner(place)
    const { db } = await openPlace(place)
    for (let round = 0; round < ROUNDS; round++) {
      const { owner, sessionId } = await ownedSession(place)
      const sharing = `${one.url}/v1/sessions/${sessionId}/sharing`
      const { url } = JSON.parse((await ask(`${sharing}/link`, owner.token, 'POST')).text)
      await claim({ id: recipient.id, db }, url, new Date())
      const shared = `/v1/shared-sessions/${owner.id}/${sessionId}`
      const media = JSON.parse((await ask(`${other.url}${shared}/media`, recipient.token)).text)
      const { pathname, search } = new URL(media.url)
      const requests = ['', '/transcript', '/action-items', '/media'].map(part => shared + part)
      const lists = ['/v1/shared-sessions', '/v1/sessions?include=shared']

      let revoked = false
      const reads: { what: string; after: boolean; seen: boolean; status: number }[] = []
      const countOf = (what: string, after: boolean, seen: boolean) =>
        reads.filter(read => read.what === what && read.after === after && read.seen === seen).length
      const reading = [...requests, ...lists, pathname + search].flatMap(what =>
        [one, other].map(async server => {
          // On and on, until enough were asked after the answer to the revocation.
          for (let left = 6; left > 0; left -= Number(revoked)) {
            const after = revoked
            const { status, text } = await ask(
              server.url + what,
              what.startsWith('/v1/media') ? undefined : recipient.token
            )
            reads.push({ what, after, status, seen: lists.includes(what) ? text.includes(sessionId) : status !== 404 })
          }
        })
      )
      const everything = [...requests, ...lists, pathname + search]
      await until('everything was read', () => everything.every(what => countOf(what, false, true) > 1))
      const answer = await ask(sharing + path(recipient), owner.token, method, body)
      revoked = true
      await Promise.all(reading)

      expect(answer.status).toBe(200)
      expect(reads.filter(({ after, seen }) => after && seen)).toEqual([])
      expect(reads.filter(({ status }) => status !== 200 && status !== 404)).toEqual([])
      for (const what of everything) expect(countOf(what, true, false)).toBeGreaterThanOrEqual(6)
    }
  }
)
