import { updateUser } from '../../src/accounts/queries.ts'
import { clock, newUserOf, type Served } from '../support/server.ts'
import { claim, linkTo } from '../support/sharing.ts'
import type { Operation } from './document.ts'
import { type Case, fillPlaces } from './requests.ts'

export interface Sent {
  operation: Operation
  url: string
  headers: Record<string, string>
  body: unknown
  anonymous: boolean
}

export interface Answer {
  status: number
  headers: Record<string, unknown>
  text: string
}

const ID = /^[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}$/
const UNKNOWN = ['ses', 'fld', 'whk', 'per', 'evt'].map(prefix => `${prefix}_01jd0000000000000000000000`)
const KNOWN_AT_MOST = 40
const PATIENCE_MS = 20_000

/** A user with something of everything, a stranger's things, and what became known of both on the way. */
export async function openWorld(served: Served) {
  const [user, stranger] = [await newUserOf(served), await newUserOf(served)]
  const known: string[] = []
  for (const owner of [user, stranger]) {
    await updateUser(served.db, owner.id, { email: `${owner.id}@example.com`, emailVerifiedAt: clock.now() })
    const media = { audio: 'https://media.example/a.mp3' }
    const id = await owner.session({ tags: ['alpha', 'beta'], speakers: [{ label: 'Ada', person: 'Ada Lovelace' }], media })
    await claim(owner === user ? stranger : user, await linkTo(owner, id))
    known.push(owner.id, id)
    known.push((await owner.post('/v1/folders', { name: 'Clients' })).body.id)
    known.push((await owner.post('/v1/webhooks', { url: 'http://127.0.0.1:1/hook', events: ['session.updated'] })).body.id)
    known.push((await owner.get('/v1/people')).body.people[0].id)
    await owner.patch(`/v1/sessions/${id}`, { title: 'Monthly review' })
  }
  known.push(...UNKNOWN)
  learn((await user.get('/v1/events')).body)
  const fixed = known.length

  /** What is written in the answers can be asked for from then on. */
  function learn(value: unknown) {
    if (typeof value === 'string' && ID.test(value) && !known.includes(value)) known.push(value)
    else if (typeof value === 'object' && value) for (const inner of Object.values(value)) learn(inner)
    if (known.length > KNOWN_AT_MOST) known.splice(fixed, 1)
  }

  function filled({ operation, path, query, headers, body, anonymous }: Case): Sent {
    const names = fillPlaces(path, known)
    const target = operation.path.replace(/\{(\w+)\}/g, (_, name) => encoded(names[name] ?? ''))
    const search = fillPlaces(query, known).map(pair => pair.map(encoded).join('='))
    return {
      operation,
      url: search.length > 0 ? `${target}?${search.join('&')}` : target,
      headers: Object.fromEntries(Object.entries(fillPlaces(headers, known)).filter((pair): pair is [string, string] => pair[1] !== null)),
      body: body === undefined ? undefined : fillPlaces(body, known),
      anonymous
    }
  }

  async function send(sent: Sent): Promise<Answer> {
    const { operation, url, headers, body, anonymous } = sent
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`No answer within ${PATIENCE_MS / 1_000} s`)), PATIENCE_MS)
    })
    const asked = served.app.inject({
      method: operation.method,
      url,
      headers: {
        ...headers,
        ...(!anonymous && { authorization: `Bearer ${user.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' })
      },
      ...(body !== undefined && { payload: JSON.stringify(body) })
    })
    const reply = await Promise.race([asked, late]).finally(() => clearTimeout(timer))
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
