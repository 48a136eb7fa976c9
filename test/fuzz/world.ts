import type { InjectOptions } from 'fastify'
import { updateUser } from '../../src/features/access/queries.ts'
import { makeToken } from '../../src/features/access/token-format.ts'
import { clock, newUserOf, type Served, SPOKEN } from '../support/server.ts'
import { claim, linkTo } from '../support/sharing.ts'
import type { Operation } from './document.ts'
import { type Case, fillPlaces } from './requests.ts'
import { sendWithin } from './send.ts'

export interface Sent {
  operation: Operation
  url: string
  query: [string, string][]
  headers: Record<string, string>
  body: unknown
  file: string | undefined
  impostor: number
}

export interface Answer {
  status: number
  headers: Record<string, unknown>
  text: string
}

export interface World {
  filled(one: Case): Sent
  send(sent: Sent): Promise<Answer>
}

const ID = /^[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}$/
const UNKNOWN = ['ses', 'fld', 'whk', 'per', 'evt', 'usr', 'tok'].map(prefix => `${prefix}_01jd0000000000000000000000`)
const KNOWN_AT_MOST = 40

/** A user with something of everything, a stranger's things, and what became known of both on the way. */
export async function openWorld(served: Served, prefix = ''): Promise<World> {
  const [user, stranger] = [await newUserOf(served), await newUserOf(served)]
  const theirs = await furnished(served, stranger, user)
  const known = [...(await furnished(served, user, stranger)), ...theirs, ...idsIn((await user.get('/v1/events')).body)]
  const wrongKeys = [makeToken(), user.tokenId, `${user.token} ${user.token}`]
  const [owner_id = '', id = ''] = theirs
  return worldOf(below(served.app, prefix), `Bearer ${user.token}`, { wrongKeys, known, shared: { owner_id, id } })
}

/** The application for requests whose paths stand below another one. */
function below(app: Served['app'], prefix: string): Pick<Served['app'], 'inject'> {
  const inject = (request: InjectOptions) => app.inject({ ...request, url: `${prefix}${String(request.url)}` })
  return prefix === '' ? app : { inject: inject as Served['app']['inject'] }
}

type User = Awaited<ReturnType<typeof newUserOf>>

/** Gives the owner one of each thing, the session shared with somebody; the ids of them all. */
export async function furnished({ db }: Pick<Served, 'db'>, owner: User, recipient: User) {
  await updateUser(db, owner.id, { email: `${owner.id}@example.com`, emailVerifiedAt: clock.now() })
  const media = { audio: 'https://media.example/a.mp3' }
  const speakers = [
    { label: 'Ada', person: 'Ada Lovelace' },
    { label: 'Ben', person: 'Ben Franklin' }
  ]
  // Its second line is that of the document's example of a correction, which by chance alone is asked well too seldom.
  const [first, last] = SPOKEN
  const unnamed = { speaker: 'Speaker 2', start: 4, end: 4.5, text: 'Good morning.' }
  const segments = [first, unnamed, last]
  const id = await owner.session({ tags: ['alpha', 'beta'], segments, speakers, media })
  await claim(recipient, await linkTo(owner, id))
  const folder = (await owner.post('/v1/folders', { name: 'Clients' })).body.id
  const webhook = (await owner.post('/v1/webhooks', { url: 'http://127.0.0.1:1/hook', events: ['session.updated'] }))
    .body.id
  const term = (await owner.post('/v1/terms', { heard: ['par lance'], meant: 'Parlance' })).body.id
  await owner.post(`/v1/terms/${term}/apply`)
  const template = (await owner.post('/v1/summary-templates', { name: 'Review', sections: [{ heading: 'Risks' }] }))
    .body.id
  const exported = (await owner.post('/v1/exports', { parts: [] })).body.id
  const { people } = (await owner.get('/v1/people')).body
  await owner.patch(`/v1/sessions/${id}`, { title: 'Monthly review' })
  return [owner.id, id, folder, webhook, term, template, exported, ...idsIn(people)]
}

export function idsIn(value: unknown): string[] {
  if (typeof value === 'string') return ID.test(value) ? [value] : []
  return typeof value === 'object' && value ? Object.values(value).flatMap(idsIn) : []
}

interface Things {
  wrongKeys: string[]
  /** The ids that are known at first. */
  known: string[]
  /** The ids in the path of a session that is shared with the caller. */
  shared?: Record<string, string>
}

/** Asks the application with that Authorization, or with one of the wrong keys in its place, for what is known or becomes so. */
export function worldOf(
  app: Pick<Served['app'], 'inject'>,
  authorization: string,
  { wrongKeys, known, shared }: Things
): World {
  known.push(...UNKNOWN)
  const fixed = known.length
  const impostors = [
    undefined,
    `Basic ${Buffer.from(authorization).toString('base64')}`,
    ...wrongKeys.map(key => `Bearer ${key}`)
  ]

  /** What is written in the answers can be asked for from then on. */
  function learn(value: unknown) {
    for (const id of idsIn(value)) {
      if (!known.includes(id)) known.push(id)
      if (known.length > KNOWN_AT_MOST) known.splice(fixed, 1)
    }
  }

  function filled({ operation, path, query, headers, body, file, ofShared, impostor }: Case): Sent {
    const names = fillPlaces(ofShared ? { ...path, ...shared } : path, known)
    // Without its last id a path is that of the list.
    const target = operation.path.replace(/\{(\w+)\}/g, (_, name) => encoded(names[name] || '-'))
    const pairs = fillPlaces(query, known)
    const search = pairs.map(pair => pair.map(encoded).join('='))
    return {
      operation,
      url: search.length > 0 ? `${target}?${search.join('&')}` : target,
      query: pairs,
      headers: Object.fromEntries(
        Object.entries(fillPlaces(headers, known)).filter((pair): pair is [string, string] => pair[1] !== null)
      ),
      body: body === undefined ? undefined : fillPlaces(body, known),
      file,
      impostor
    }
  }

  async function send(sent: Sent): Promise<Answer> {
    const { operation, url, headers, body, file, impostor } = sent
    const [type, payload] =
      file === undefined
        ? ['application/json', body === undefined ? undefined : JSON.stringify(body)]
        : [operation.fileType, file]
    const sentAs = impostor > 0 ? impostors[impostor - 1] : authorization
    const reply = await sendWithin(app, {
      method: operation.method,
      url,
      headers: {
        ...headers,
        ...(sentAs !== undefined && { authorization: sentAs }),
        ...(payload !== undefined && { 'content-type': type })
      },
      ...(payload !== undefined && { payload })
    })
    const isJson = String(reply.headers['content-type']).startsWith('application/json')
    if (isJson && reply.statusCode < 300) learn(reply.json())
    return { status: reply.statusCode, headers: reply.headers, text: reply.body }
  }

  return { filled, send }
}

/** As a client would write it; half a character cannot be sent in a URL. */
function encoded(text: string) {
  return encodeURIComponent(text.toWellFormed())
}
