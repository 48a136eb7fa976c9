import { eq } from 'drizzle-orm'
import { people } from '../../src/db/schema/index.ts'
import { claim, linkTo, newSharer } from '../support/sharing.ts'
import { type Route, requestOf, routes, type Sent } from './ask.ts'
import type { Ids, Kind, World } from './world.ts'

export const PREFIX = {
  owner: 'usr',
  session: 'ses',
  folder: 'fld',
  person: 'per',
  webhook: 'whk',
  event: 'evt',
  recipient: 'usr'
} as const

/** As they stand in a URL. */
export const MALFORMED = [
  ...['x', '0', '-1', '1e400', 'null', 'undefined', '*', '%25', '%20', '..%2f..', "'%20or%20true--", '__proto__', 'constructor'],
  ...['%F0%9F%8E%99', '%E2%80%8B', '%E2%80%AE', 'a'.repeat(100), 'a'.repeat(1_000)]
]

/** One place of a route that takes an id. */
export interface Place {
  route: Route
  name: string
  kind: Kind
  inQuery: boolean
}

export const places: Place[] = routes.flatMap(route => [
  ...Object.entries(route.row.path ?? {}).map(([name, kind]) => ({ route, name, kind, inQuery: false })),
  ...Object.entries(route.row.queryIds ?? {}).map(([name, kind]) => ({ route, name, kind, inQuery: true }))
])

/** What is for recipients is asked by one. */
export function tokenFor({ row }: Route, { owner, recipient }: World) {
  return (row.owner === '200' || row.owner === '204' ? owner : recipient).token
}

/** The usual request of a route but for the id at that place. */
export function requestAt({ route, name, inQuery }: Place, id: string, ids: Ids): Sent {
  const request = requestOf(route, ids)
  if (inQuery) return { ...request, url: `${route.path}?${name}=${id}` }
  const kinds = route.row.path ?? {}
  return { ...request, url: route.path.replace(/\{(\w+)\}/g, (_, at) => (at === name ? id : ids[kinds[at]!])) }
}

/** Ids that meant something until a moment ago, to the owner and to the recipient. */
export async function removedThings({ owner, recipient, revoked }: World) {
  const session = await owner.session()
  await claim(recipient, await linkTo(owner, session))
  await owner.delete(`/v1/sessions/${session}`)
  const folder = String((await owner.post('/v1/folders', { name: 'Gone' })).body.id)
  await owner.delete(`/v1/folders/${folder}`)
  const webhook = String((await owner.post('/v1/webhooks', { url: 'http://127.0.0.1:1/gone', events: ['session.deleted'] })).body.id)
  await owner.delete(`/v1/webhooks/${webhook}`)
  return { session, folder, webhook, recipient: revoked.id } as Partial<Record<Kind, string>>
}

/** A person of that owner who was merged into another; their id is known to nobody else. */
export async function mergedPerson({ owner, ids }: World) {
  await owner.session({ speakers: [{ label: 'Ada', person: 'Merged Person' }] })
  const { body } = await owner.get('/v1/people')
  const { id } = body.people.find(({ name }: { name: string }) => name === 'Merged Person')
  await owner.db.update(people).set({ mergedInto: ids.person, nameKey: null }).where(eq(people.personId, id))
  return String(id)
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
    ...[id.toUpperCase(), suffix, `${id}%20`, `%20${id}`, id.slice(0, -1), `${id}0`, `${id}%2f`, `${id},${id}`],
    ...Object.values(PREFIX).flatMap(prefix => (prefix === PREFIX[kind] ? [] : [`${prefix}_${suffix}`])),
    ...others.filter(other => other !== id)
  ]
}
