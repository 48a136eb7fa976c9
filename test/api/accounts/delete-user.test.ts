import { describe, expect, test } from 'vitest'
import { eraseUser } from '../../../src/features/deletions/erase-user.ts'
import { purgeMedia } from '../../../src/features/recordings/delete.ts'
import { newId } from '../../../src/platform/core/ids.ts'
import type { JobData } from '../../../src/platform/jobs/queues.ts'
import { askAdmin, buildTestAdminApi } from '../../support/admin-api.ts'
import { fileIn, temporaryFolder } from '../../support/process.ts'
import { tablesWith } from '../../support/remains.ts'
import {
  acceptSession,
  completeSession,
  NO_QUEUE,
  newUser,
  SPOKEN,
  testDatabase,
  testMedia
} from '../../support/server.ts'
import { claim, inviteTo, linkTo, newSharer } from '../../support/sharing.ts'

const NEVER = new AbortController().signal
const NOT_FOUND = { status: 404, body: { error: { code: 'not_found', message: 'User not found' } } }

type Sharer = Awaited<ReturnType<typeof newSharer>>

/** The admin API with a queue that keeps what it is given. */
async function withQueue() {
  const queued: [string, unknown][] = []
  const jobs = {
    ...NO_QUEUE,
    enqueue: async (_tx: unknown, queue: string, data: unknown) => void queued.push([queue, data])
  }
  return { queued, jobs, app: await buildTestAdminApi({ jobs }) }
}

/** Gives the user one of everything, with that word in it. */
async function furnish(user: Sharer, word = 'word') {
  const recordings = { audio: fileIn(temporaryFolder(), 'sound.mp3', `sound of ${word}`) }
  const document = {
    title: word,
    notes: word,
    tags: [word],
    folders: [word],
    speakers: [{ label: 'A', person: word }],
    segments: [{ speaker: 'A', start: 0, end: 2, text: `I say ${word}.` }]
  }
  const completed = await acceptSession(user.id, { ...document, media: { audio: 'sound.mp3' } }, user.db, recordings)
  await completeSession(user.id, completed)
  await acceptSession(user.id, document)
  const trashed = await user.session(document)
  await askAdmin('DELETE', `/users/${user.id}/sessions/${trashed}`)
  await user.post('/v1/webhooks', { url: `http://127.0.0.1:1/${word}`, events: ['session.updated'] })
  await user.patch(`/v1/sessions/${completed}`, { title: `${word} again`, action_items: [{ text: word }] })
  await user.post('/v1/events/ack', { cursor: 1 })
  return completed
}

describe('DELETE /app/v1/users/{user_id}', () => {
  test('ends tokens, shares and webhooks at once, frees the address, and answers as for nobody from then on', async () => {
    const [user, guest, owner] = [await newSharer(), await newSharer(), await newSharer()]
    const [mine, theirs] = [await furnish(user), await owner.session()]
    const link = await linkTo(user, mine)
    await claim(guest, link)
    await claim(user, await linkTo(owner, theirs))
    expect(await askAdmin('DELETE', `/users/${user.id}`)).toEqual({ status: 200, body: { id: user.id, deleted: true } })
    expect((await user.get('/v1/account')).status).toBe(401)
    expect((await guest.get(`/v1/shared-sessions/${user.id}/${mine}`)).status).toBe(404)
    expect((await guest.get('/v1/shared-sessions')).body.sessions).toEqual([])
    await expect(claim(owner, link)).rejects.toThrow('There is no such link')
    expect((await user.db.execute(`select from webhooks where user_id = '${user.id}' and active`)).rows).toEqual([])
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/tokens', { name: 'x', scopes: ['account:read'] }],
      ['POST', '/sessions', { segments: SPOKEN }]
    ] as const)
      expect(await askAdmin(method, `/users/${user.id}${path}`, body)).toEqual(NOT_FOUND)
    expect((await askAdmin('GET', `/users?email=${user.email}`)).body.users).toEqual([])
    expect((await askAdmin('POST', '/users', { email: user.email })).status).toBe(201)
  })

  test('leaves nothing of the user in any table or in the store once the job is done, and what belongs to others as it was', async () => {
    const database = await testDatabase()
    const { queued, jobs, app } = await withQueue()
    const [user, guest, owner] = [await newSharer(), await newSharer(), await newSharer()]
    const planted = newId('usr').slice(4)
    const [mine, theirs] = [await furnish(user, planted), await owner.session()]
    await claim(guest, await linkTo(user, mine))
    await inviteTo(user, mine, 'guest@example.test')
    const invited = await inviteTo(owner, theirs, user.email)
    await claim(user, invited)
    const other = await owner.session()
    await inviteTo(owner, other, user.email)
    const before = await owner.get(`/v1/sessions/${theirs}`)

    expect((await askAdmin('DELETE', `/users/${user.id}`, undefined, { app })).status).toBe(200)
    expect(queued).toEqual([['delete-user', { userId: user.id }]])
    for (let turn = 0; turn < 2; turn++) await eraseUser({ db: user.db, jobs }, user.id, NEVER)
    expect(await tablesWith(database, user.id)).toEqual(['deletions'])
    expect(await tablesWith(database, user.email)).toEqual([])
    expect(await tablesWith(database, planted)).toEqual([])
    expect(await tablesWith(database, user.tokenId)).toEqual([])
    const purges = queued.slice(1).map(([, data]) => data as JobData['purge-media'])
    expect(purges.map(({ sessionId }) => sessionId)).toEqual([mine])
    for (const purge of purges) await purgeMedia({ db: user.db, media: testMedia() }, purge)
    await expect(testMedia().withFile(purges[0]!.key, async () => {})).rejects.toThrow('The recording does not exist')
    expect(await owner.get(`/v1/sessions/${theirs}`)).toEqual(before)
    expect((await owner.get(`/v1/sessions/${theirs}/sharing`)).body).toMatchObject({ people: [], pending_invites: [] })
    expect((await owner.get(`/v1/sessions/${other}/sharing`)).body).toMatchObject({ people: [], pending_invites: [] })
    expect((await guest.get('/v1/account')).status).toBe(200)
  })

  test('goes on where it was interrupted', async () => {
    const database = await testDatabase()
    const { jobs, app } = await withQueue()
    const user = await newSharer()
    await furnish(user)
    await askAdmin('DELETE', `/users/${user.id}`, undefined, { app })
    const unqueued = { ...jobs, enqueue: async () => Promise.reject(new Error('killed')) }
    await expect(eraseUser({ db: user.db, jobs: unqueued }, user.id, NEVER)).rejects.toThrow('killed')
    let interruptions = 0
    while (!(await erasedBefore(interruptions + 1))) interruptions++
    expect(interruptions).toBeGreaterThan(8)
    expect(await tablesWith(database, user.id)).toEqual(['deletions'])

    /** Whether the work ends before its nth step, which is interrupted. */
    async function erasedBefore(step: number) {
      const stopping = new AbortController()
      let left = step
      const signal = Object.assign(stopping.signal, {
        throwIfAborted: () => {
          if (--left === 0) throw new Error('interrupted')
        }
      })
      return await eraseUser({ db: user.db, jobs }, user.id, signal).then(
        () => true,
        () => false
      )
    }
  })

  test('deletes once for several requests at once', async () => {
    const user = await newUser()
    const answers = await Promise.all([1, 2, 3, 4].map(() => askAdmin('DELETE', `/users/${user.id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404])
  })

  test('answers 404 for an unknown user, and the job leaves a user who was not deleted', async () => {
    expect(await askAdmin('DELETE', `/users/${newId('usr')}`)).toEqual(NOT_FOUND)
    const user = await newUser()
    const id = await user.session()
    await eraseUser({ db: user.db, jobs: NO_QUEUE }, user.id, NEVER)
    expect((await user.get(`/v1/sessions/${id}`)).status).toBe(200)
  })
})
