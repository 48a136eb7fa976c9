import { everyScope } from '../../src/features/access/actor.ts'
import { mergePeople } from '../../src/features/people/merge.ts'
import { clock, NO_QUEUE } from '../support/server.ts'
import { claim, linkTo, newSharer } from '../support/sharing.ts'
import { trash } from '../support/trash.ts'
import { type Route, requestOf, routes, type Sent } from './ask.ts'
import { beginUpload, type Ids, type Kind, type Sharer, type World } from './world.ts'

export const PREFIX = {
  owner: 'usr',
  session: 'ses',
  folder: 'fld',
  person: 'per',
  webhook: 'whk',
  event: 'evt',
  recipient: 'usr',
  item: 'ai',
  upload: 'upl',
  term: 'trm',
  template: 'tpl',
  export: 'exp'
} as const

/** As they stand in a URL. */
export const MALFORMED = [
  'x',
  '0',
  '-1',
  '1e400',
  'null',
  'undefined',
  '*',
  '%25',
  '%20',
  '..%2f..',
  "'%20or%20true--",
  '__proto__',
  'constructor',
  '%F0%9F%8E%99',
  '%E2%80%8B',
  '%E2%80%AE',
  'a'.repeat(100),
  'a'.repeat(1_000)
]

/** One place of a route that takes an id. */
export interface Place {
  route: Route
  name: string
  kind: Kind
  where: 'path' | 'query' | 'body'
}

export const places: Place[] = routes.flatMap(route => {
  const at = (where: Place['where'], ids: Record<string, Kind> = {}) =>
    Object.entries(ids).map(([name, kind]) => ({ route, name, kind, where }))
  return [...at('path', route.row.path), ...at('query', route.row.queryIds), ...at('body', route.row.bodyIds)]
})

/** What is for recipients is asked by one. */
export function tokenFor({ row }: Route, { owner, recipient }: World) {
  return (row.owner.startsWith('2') ? owner : recipient).token
}

/** The usual request of a route but for the id at that place. */
export function requestAt({ route, name, where }: Place, id: string, ids: Ids): Sent {
  const request = requestOf(route, ids)
  if (where === 'body') return { ...request, body: { ...(request.body as object), [name]: decodeURIComponent(id) } }
  if (where === 'query') return { ...request, url: `${route.path}?${name}=${id}` }
  const kinds = route.row.path ?? {}
  return {
    ...request,
    url: route.path.replace(/\{(\w+)\}/g, (_, at) =>
      at === name ? id : (route.row.pathWords?.[at] ?? ids[kinds[at]!])
    )
  }
}

/** Ids that meant something until a moment ago, to the owner and to the recipient. */
export async function removedThings({ owner, recipient, revoked, ids }: World) {
  const [erased, trashed] = [
    await owner.session(speaking('Gone Person')),
    await owner.session({ action_items: [{ text: 'Gone' }] })
  ]
  const person = await personOf(owner, 'Gone Person')
  const { body: items } = await owner.get('/v1/action-items')
  const gone = items.action_items.flatMap(({ id, session }: { id: string; session: { id: string } }) =>
    [erased, trashed].includes(session.id) ? [id] : []
  )
  for (const session of [erased, trashed]) await claim(recipient, await linkTo(owner, session))
  await owner.post(`/v1/sessions/${trashed}/folders/${ids.folder}`)
  await owner.delete(`/v1/sessions/${erased}`)
  await trash({ db: owner.db }, owner.id, trashed)
  const folder = String((await owner.post('/v1/folders', { name: 'Gone' })).body.id)
  await owner.delete(`/v1/folders/${folder}`)
  const webhook = String(
    (await owner.post('/v1/webhooks', { url: 'http://127.0.0.1:1/gone', events: ['session.deleted'] })).body.id
  )
  await owner.delete(`/v1/webhooks/${webhook}`)
  const upload = await beginUpload(owner)
  await owner.app.inject({
    method: 'DELETE',
    url: `/v1/uploads/${upload}`,
    headers: { authorization: `Bearer ${owner.token}`, 'tus-resumable': '1.0.0' }
  })
  const { body: term } = await owner.post('/v1/terms', { heard: ['Gone term'], meant: 'Gone' })
  await owner.delete(`/v1/terms/${term.id}`)
  const { body: template } = await owner.post('/v1/summary-templates', {
    name: 'Gone',
    sections: [{ heading: 'Gone' }]
  })
  await owner.delete(`/v1/summary-templates/${template.id}`)
  const { body: exported } = await owner.post('/v1/exports', { parts: [] })
  await owner.delete(`/v1/exports/${exported.id}`)
  return {
    upload: [upload],
    export: [exported.id],
    term: [term.id],
    template: [template.id],
    session: [erased, trashed],
    folder: [folder],
    webhook: [webhook],
    recipient: [revoked.id],
    person: [person],
    event: [],
    item: gone,
    owner: []
  }
}

/** A person of that owner who was merged into another; their id is known to nobody else. */
export async function mergedPerson({ owner, ids }: World) {
  await owner.session(speaking('Merged Person'))
  const id = await personOf(owner, 'Merged Person')
  await mergePeople({ db: owner.db, clock, jobs: NO_QUEUE }, everyScope(owner.id, 'command'), id, { into: ids.person })
  return id
}

function speaking(person: string) {
  return { speakers: [{ label: 'Ada', person }] }
}

async function personOf(owner: Sharer, person: string) {
  const { body } = await owner.get('/v1/people')
  return String(body.people.find(({ name }: { name: string }) => name === person).id)
}

/** A session that the owner shares with somebody else alone. */
export async function sharedElsewhere({ owner }: World) {
  const session = await owner.session()
  await claim(await newSharer(), await linkTo(owner, session))
  return session
}

/** The caller's own id with a fault, and as ids of other kinds. */
export function nearlyRight(id: string, kind: Kind, ids: Ids) {
  const suffix = id.split('_')[1]!
  const others = (Object.keys(PREFIX) as Kind[]).filter(other => other !== kind).map(other => ids[other])
  return [
    id.toUpperCase(),
    suffix,
    `${id}%20`,
    `%20${id}`,
    id.slice(0, -1),
    `${id}0`,
    `${id}%2f`,
    `${id},${id}`,
    ...Object.values(PREFIX).flatMap(prefix => (prefix === PREFIX[kind] ? [] : [`${prefix}_${suffix}`])),
    ...others.filter(other => other !== id)
  ]
}
