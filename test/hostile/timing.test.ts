import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/platform/core/ids.ts'
import { ask, type Sent } from '../matrix/ask.ts'
import { openWorld, type World } from '../matrix/world.ts'
import { newSharer } from '../support/sharing.ts'

/** Only by itself on a machine with nothing else to do: beside other tests, times tell of those. */
const LONG = process.env.SECURITY === 'long'
const SLOW = { timeout: 600_000 }
const PAIRS = 5_000
/** What may be told apart by an attacker on the same network, who asks often. */
const LIMIT_MS = 0.2

interface Request {
  token: string
  sent: Sent
}

/** How much longer the one takes than the other, in milliseconds: the median over pairs asked in turn, with its standard error. */
async function difference(pairs: number, one: (n: number) => Promise<Request>, other: (n: number) => Promise<Request>) {
  const took = async ({ token, sent }: Request) => {
    const startedAt = performance.now()
    await ask(token, sent)
    return performance.now() - startedAt
  }
  const differences: number[] = []
  for (let n = 0; n < pairs + 10; n++) {
    const [first, second] = [await one(n), await other(n)]
    // Whoever is asked second finds everything warm.
    const between = n % 2 ? (await took(first)) - (await took(second)) : -((await took(second)) - (await took(first)))
    if (n >= 10) differences.push(between)
  }
  const median = medianOf(differences)
  const spread = 1.4826 * medianOf(differences.map(value => Math.abs(value - median)))
  return { median, error: (1.2533 * spread) / Math.sqrt(pairs) }
}

function medianOf(values: number[]) {
  const sorted = [...values].sort((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
}

/** On a busy machine the error grows, and the bound with it: a test of chance would be none. */
function expectAlike(what: string, { median, error }: Awaited<ReturnType<typeof difference>>) {
  console.log(`${what}: ${median.toFixed(4)} ms, standard error ${error.toFixed(4)} ms`)
  expect(Math.abs(median)).toBeLessThan(LIMIT_MS + 5 * error)
}

let world: World
let foreign: World

beforeAll(async () => {
  world = await openWorld()
  foreign = await openWorld()
})

describe.runIf(LONG)('the time of an answer does not tell', () => {
  const places: [string, (id: string) => Sent, () => string, 'ses' | 'fld' | 'per' | 'whk'][] = [
    ['a session', id => ({ method: 'GET', url: `/v1/sessions/${id}` }), () => foreign.ids.session, 'ses'],
    ['a transcript', id => ({ method: 'GET', url: `/v1/sessions/${id}/transcript` }), () => foreign.ids.session, 'ses'],
    [
      'a session to change',
      id => ({ method: 'PATCH', url: `/v1/sessions/${id}`, body: { title: 'x' } }),
      () => foreign.ids.session,
      'ses'
    ],
    ['a folder', id => ({ method: 'GET', url: `/v1/folders/${id}` }), () => foreign.ids.folder, 'fld'],
    ['a person', id => ({ method: 'GET', url: `/v1/people/${id}/sessions` }), () => foreign.ids.person, 'per'],
    ['a webhook', id => ({ method: 'GET', url: `/v1/webhooks/${id}/deliveries` }), () => foreign.ids.webhook, 'whk'],
    [
      'a shared session',
      id => ({ method: 'GET', url: `/v1/shared-sessions/${foreign.ids.owner}/${id}` }),
      () => foreign.ids.session,
      'ses'
    ]
  ]

  test.each(places)('whether %s of another user is there', SLOW, async (what, sent, theirs, prefix) => {
    const { token } = world.owner
    const never = newId(prefix)
    expectAlike(
      what,
      await difference(
        PAIRS,
        async () => ({ token, sent: sent(theirs()) }),
        async () => ({ token, sent: sent(never) })
      )
    )
  })

  test('whether an address that is invited belongs to a user', SLOW, async () => {
    const each = 14
    const pairs = 20 * each
    const owners = await Promise.all(
      Array.from({ length: pairs / each + 1 }, async () => {
        const owner = await newSharer()
        return { owner, session: await owner.session() }
      })
    )
    const invited = async (n: number, email: string): Promise<Request> => {
      const { owner, session } = owners[Math.floor(n / each)]!
      return {
        token: owner.token,
        sent: { method: 'POST', url: `/v1/sessions/${session}/sharing/invites`, body: { emails: [email] } }
      }
    }
    const known = await Promise.all(Array.from({ length: pairs + 10 }, async () => (await newSharer()).email))
    const of = (n: number) => invited(n, known[n]!)
    const unknown = (n: number) => invited(n, `nobody-${n}-${newId('usr')}@example.com`)
    expectAlike('an address', await difference(pairs, of, unknown))
  })
})
