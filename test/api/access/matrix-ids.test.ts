import { beforeAll, describe, expect, test } from 'vitest'
import { issueToken } from '../../../src/features/access/tokens.ts'
import { newId } from '../../../src/platform/core/ids.ts'
import { ask, outcomeOf, requestOf, routes } from '../../matrix/ask.ts'
import {
  MALFORMED,
  mergedPerson,
  nearlyRight,
  type Place,
  PREFIX,
  places,
  removedThings,
  requestAt,
  sharedElsewhere,
  tokenFor
} from '../../matrix/ids.ts'
import { type Ids, type Kind, openWorld, type World } from '../../matrix/world.ts'
import { clock } from '../../support/server.ts'
import { claim, linkTo } from '../../support/sharing.ts'
import { trash } from '../../support/trash.ts'

let world: World
let foreign: World
let gone: Record<Kind, string[]>
let merged: string

beforeAll(async () => {
  world = await openWorld()
  foreign = await openWorld()
  gone = await removedThings(world)
  merged = await mergedPerson(foreign)
  await foreign.owner.patch(`/v1/folders/${foreign.ids.folder}`, { name: 'Foreign folder' })
})

const named = (some: Place[]) => some.map(place => [place.route.name, place.name, place] as const)

/** What was there. The trashed session, which comes last, is there for whoever restores it. */
function goneFor({ kind, route }: Place) {
  return route.name === 'restoreSession' ? gone[kind].slice(0, -1) : gone[kind]
}

/** What is there but not for the caller, what was there, what is of another kind, and what is no id at all. */
function othersFor(place: Place) {
  const { kind, where } = place
  const there = {
    session: [],
    folder: [],
    webhook: [],
    event: [],
    item: [],
    upload: [],
    term: [],
    template: [],
    export: [],
    owner: [world.recipient.id, world.revoked.id],
    recipient: [world.owner.id],
    person: [merged]
  }[kind]
  const foreignNames = ['Foreign%20folder', 'foreign%20folder']
  // Filters take the name of a folder, paths its id alone.
  const names = kind !== 'folder' ? [] : where === 'path' ? ['Owned%20folder', ...foreignNames] : foreignNames
  return [
    foreign.ids[kind],
    ...there,
    ...names,
    ...goneFor(place),
    ...nearlyRight(world.ids[kind], kind, world.ids),
    ...MALFORMED
  ]
}

describe('an id that does not exist for the caller', () => {
  const mayRepeat = places.filter(({ route }) => !route.row.destroys && route.row.owner !== '409 conflict')

  test.each(named(mayRepeat))(
    '%s: the right id at %s is found, which the other tests rely on',
    async (_, __, place) => {
      const right = await ask(tokenFor(place.route, world), requestAt(place, world.ids[place.kind], world.ids))
      const { owner, recipient } = place.route.row
      expect(String(right.status)).toBe((owner.startsWith('2') ? owner : recipient).slice(0, 3))
    }
  )

  test.each(named(places))(
    '%s: a foreign, deleted, malformed or other id at %s is answered like an unknown one',
    async (_, __, place) => {
      const token = tokenFor(place.route, world)
      const never = await ask(token, requestAt(place, newId(PREFIX[place.kind]), world.ids))
      expect(outcomeOf(never)).toBe('404 not_found')
      for (const id of othersFor(place)) {
        const answer = await ask(token, requestAt(place, id, world.ids))
        expect({ id, ...answer }).toEqual({ id, ...never })
      }
    }
  )

  test.each(named(places))(
    '%s: at %s it is answered like an unknown one in an invalid request too',
    async (_, __, place) => {
      const token = tokenFor(place.route, world)
      const ways = [
        { method: 'HEAD' },
        { body: [] },
        { body: {} },
        { body: { title: 7, name: '', events: [], emails: [], from_seq: -1 } }
      ]
      for (const way of ways) {
        if ('method' in way ? place.route.method !== 'GET' : place.route.method === 'GET') continue
        for (const headers of [{}, { 'if-match': '"99"' }, { 'if-match': 'nonsense' }] as Record<string, string>[]) {
          const asked = (id: string) => ask(token, { ...requestAt(place, id, world.ids), ...way }, headers)
          const never = await asked(newId(PREFIX[place.kind]))
          expect([400, 404]).toContain(never.status)
          for (const id of [foreign.ids[place.kind], ...goneFor(place)]) expect(await asked(id)).toEqual(never)
        }
      }
    }
  )

  let elsewhere: Promise<string> | undefined
  test.each(named(places.filter(({ kind }) => kind === 'session')))(
    '%s: at %s a recipient of one session learns nothing of another that its owner shares with somebody else',
    async (_, __, place) => {
      // Once for all places, because an owner shares a limited number of times a minute.
      elsewhere ??= sharedElsewhere(world)
      const other = await elsewhere
      const asked = (id: string) => ask(world.recipient.token, requestAt(place, id, world.ids))
      const never = await asked(newId('ses'))
      expect(outcomeOf(never)).toBe('404 not_found')
      expect(await asked(other)).toEqual(never)
    }
  )

  test('access that ended for everyone, or with its session, leaves no trace on any route', async () => {
    const { owner, recipient, ids } = await openWorld()
    const left = (await removedThings({ ...world, owner, recipient, ids })).session
    const before = await ask(recipient.token, { method: 'GET', url: `/v1/shared-sessions/${owner.id}/${ids.session}` })
    expect(before.status).toBe(200)
    const reset = await owner.post(`/v1/sessions/${ids.session}/sharing/link/reset`, { remove_everyone: true })
    expect(reset.body.removed).toBe(1)
    for (const place of places.filter(({ kind }) => kind === 'session')) {
      const asked = (session: string) =>
        ask(recipient.token, requestAt(place, session, { ...world.ids, owner: owner.id }))
      const never = await asked(newId('ses'))
      for (const session of [ids.session, ...left]) expect(await asked(session), place.route.name).toEqual(never)
    }
  })

  test('a deleted session is in no list, search or count', async () => {
    const { owner, recipient, ids } = await openWorld()
    const everything = async () => {
      const reads = routes.filter(
        ({ method, name }) => (method === 'GET' && name !== 'listEvents') || name === 'searchSessions'
      )
      const texts = reads.flatMap(route =>
        [owner, recipient].map(async ({ token }) => (await ask(token, requestOf(route, ids))).text)
      )
      return (await Promise.all(texts)).join('\n')
    }
    const trashed = await owner.session({
      title: 'Trashed',
      folders: ['Owned folder'],
      speakers: [{ label: 'Ada', person: 'Owned Person' }]
    })
    await claim(recipient, await linkTo(owner, trashed))
    const counted = (text: string) => text.match(/"(session_count|recording_count|total_sessions)":2/g)?.length
    const there = await everything()
    expect([there.includes('Trashed'), counted(there)]).toEqual([true, 5])
    await trash({ db: owner.db }, owner.id, trashed)
    const after = await everything()
    expect([after.includes('Trashed'), after.includes(trashed), counted(after)]).toEqual([false, false, undefined])
  })

  test('a session is added to a folder or removed from it only if both belong to the caller', async () => {
    const { owner, ids } = world
    const url = (session: string, folder: string) => `/v1/sessions/${session}/folders/${folder}`
    for (const ask of [owner.post, owner.delete]) {
      expect(await ask(url(foreign.ids.session, foreign.ids.folder))).toEqual(
        await ask(url(newId('ses'), newId('fld')))
      )
      expect(await ask(url(foreign.ids.session, ids.folder))).toEqual(await ask(url(newId('ses'), ids.folder)))
      expect(await ask(url(ids.session, foreign.ids.folder))).toEqual(await ask(url(ids.session, newId('fld'))))
    }
    expect((await foreign.owner.get(`/v1/folders/${foreign.ids.folder}`)).body.session_count).toBe(1)
  })
})

describe('ids in bodies', () => {
  test('an export answers not_found for every id that is not a session of the caller, even a shared one', async () => {
    const decoded = MALFORMED.map(id => decodeURIComponent(id))
    const { ids, recipient } = world
    const others = [
      foreign.ids.session,
      ...gone.session,
      newId('ses'),
      ids.folder,
      ids.session.toUpperCase(),
      ...decoded
    ]
    for (const [user, wrong] of [
      [world.owner, others],
      [recipient, [...others, ids.session]]
    ] as const) {
      expect(await user.post('/v1/sessions/bulk', { session_ids: wrong, include_transcript: true })).toEqual({
        status: 200,
        body: { sessions: [], errors: wrong.map(id => ({ id, error: 'not_found' })) }
      })
    }
  })

  test.each([
    [
      'an export with transcripts',
      'sessions:read',
      '/v1/sessions/bulk',
      (ids: Ids) => ({ session_ids: [ids.session], include_transcript: true })
    ],
    [
      'a search with passages',
      'sessions:search',
      '/v1/sessions/search',
      ({ folder }: Ids) => ({ query: 'x', folder, include_passages: true })
    ]
  ] as const)(
    '%s needs the scope transcripts:read as well, and is refused before anything is read',
    async (_, own, url, bodyOf) => {
      const token = async (...scopes: Parameters<typeof issueToken>[3]) =>
        (await issueToken(world.owner.db, world.owner.id, 'both', scopes, clock.now())).token
      const request = (ids: Ids) => ({ method: 'POST', url, body: bodyOf(ids) })
      for (const [lacking, scope] of [
        [await token(own), 'transcripts:read'],
        [await token('transcripts:read'), own]
      ] as const) {
        const refused = await ask(lacking, request(world.ids))
        expect(outcomeOf(refused)).toBe('403 insufficient_scope')
        expect(refused.text).toContain(scope)
        expect(await ask(lacking, request(foreign.ids))).toEqual(refused)
      }
      expect((await ask(await token(own, 'transcripts:read'), request(world.ids))).status).toBe(200)
    }
  )

  test('an action item of another session, own or foreign, is never taken over: the item is new', async () => {
    const [first, second] = [await world.owner.session(), await world.owner.session()]
    const itemsOf = async (user: World['owner'], id: string) =>
      (await user.get(`/v1/sessions/${id}/action-items`)).body.action_items
    await world.owner.patch(`/v1/sessions/${first}`, { action_items: [{ text: 'Mine' }] })
    const [mine] = await itemsOf(world.owner, first)
    const theirs = await itemsOf(foreign.owner, foreign.ids.session)
    for (const { id } of [mine, theirs[0]]) {
      expect(
        (await world.owner.patch(`/v1/sessions/${second}`, { action_items: [{ id, text: 'Taken' }] })).status
      ).toBe(200)
      const [taken] = await itemsOf(world.owner, second)
      expect(taken).toMatchObject({ text: 'Taken', source: 'user', created_at: clock.now().getTime() })
      expect(taken.id).not.toBe(id)
    }
    expect(await itemsOf(world.owner, first)).toEqual([mine])
    expect(await itemsOf(foreign.owner, foreign.ids.session)).toEqual(theirs)
  })

  test('an invite is cancelled by the owner of its session alone, whoever knows its address and id', async () => {
    const { email, invite } = foreign.ids
    const { owner, ids } = await openWorld()
    const sharing = `/v1/sessions/${ids.session}/sharing`
    for (const body of [{ email }, { email, invite_id: invite }, { email: ids.email, invite_id: invite }]) {
      expect(await owner.delete(`${sharing}/invites`, body)).toEqual({ status: 200, body: { cancelled: false } })
    }
    const { body } = await foreign.owner.get(`/v1/sessions/${foreign.ids.session}/sharing`)
    expect(body.pending_invites).toMatchObject([{ email, invite_id: invite }])
  })

  test('a cursor above the caller’s own events shows no event of another user', async () => {
    const busy = await foreign.owner.get('/v1/events')
    const cursor = busy.body.events.at(-1).seq
    const { db, id } = world.recipient
    const { token } = await issueToken(db, id, 'feed', ['events:read'], clock.now())
    expect((await ask(token, { method: 'POST', url: '/v1/events/ack', body: { cursor } })).status).toBe(400)
    for (const url of ['/v1/events', '/v1/events?cursor=0', `/v1/events?cursor=${cursor - 1}`]) {
      expect(JSON.parse((await ask(token, { method: 'GET', url })).text)).toEqual({
        events: [],
        next_cursor: null,
        has_more: false
      })
    }
    expect((await foreign.owner.get('/v1/events')).body).toEqual(busy.body)
  })
})
