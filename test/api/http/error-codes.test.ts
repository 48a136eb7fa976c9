import { expect, onTestFinished, test } from 'vitest'
import { ERROR_STATUS, type ErrorCode } from '../../../src/contract/errors.ts'
import { SHARING_CODES } from '../../../src/contract/sharing.ts'
import { newId } from '../../../src/platform/core/ids.ts'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { buildTestApp, newUser, newUserOf, testDatabase } from '../../support/server.ts'
import { newSharer, sharedSession } from '../../support/sharing.ts'

interface Answer {
  status: number
  body: { error: { code: string } }
}

/** For each error code a request that provokes it. */
const PROVOKE: Record<ErrorCode, () => Promise<Answer>> = {
  invalid_request: async () => (await newUser()).get('/v1/sessions?limit=0'),
  limit_exceeded: async () => {
    const user = await newUser()
    const create = () => user.post('/v1/webhooks', { url: 'http://127.0.0.1/', events: ['session.completed'] })
    for (let count = 0; count < 5; count++) await create()
    return await create()
  },
  validation_error: async () => (await newUser()).get('/v1/shared-sessions?limit=0'),
  unauthorized: async () => (await newUser()).ask('GET', '/v1/account', { headers: { authorization: 'Basic eDp5' } }),
  invalid_token: async () =>
    (await newUser()).ask('GET', '/v1/account', { headers: { authorization: 'Bearer unknown' } }),
  insufficient_scope: async () => (await newUser('folders:read')).get('/v1/account'),
  no_access: async () => {
    const { recipient, sharing } = await sharedSession()
    return await recipient.get(sharing)
  },
  sender_unverified: async () => await shareAs(await newSharer({ emailVerifiedAt: null })),
  account_required: async () => await shareAs(await newUser()),
  not_found: async () => (await newUser()).get(`/v1/sessions/${newId('ses')}`),
  media_unavailable: async () => {
    const { recipient, path } = await sharedSession()
    return await recipient.get(`${path}/media`)
  },
  method_not_allowed: async () => (await newUser()).ask('DELETE', '/v1/account'),
  conflict: async () => {
    const user = await newUser()
    return await user.patch(`/v1/sessions/${await user.session()}`, { title: 'New' }, { 'if-match': '"99"' })
  },
  precondition_failed: async () => {
    const user = await newUser()
    const match = `"s${'x'.repeat(27)}"`
    return await user.patch(`/v1/sessions/${await user.session()}`, { title: 'New' }, { 'if-match': match })
  },
  rate_limit_exceeded: async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 1 } })
    const user = await newUserOf({ ...(await testDatabase()), app })
    await user.get('/v1/account')
    return await user.get('/v1/account')
  },
  sharing_rate_limited: async () => {
    const owner = await newSharer()
    const link = `/v1/sessions/${await owner.session()}/sharing/link`
    for (let count = 0; count < 30; count++) await owner.post(link)
    return await owner.post(link)
  },
  internal_error: () => askFailing('/v1/failing'),
  internal: () => askFailing('/v1/failing-sharing'),
  service_unavailable: () => askWithoutDatabase('/v1/folders'),
  sharing_unavailable: () => askWithoutDatabase('/v1/shared-sessions')
}

test.each(Object.keys(PROVOKE) as ErrorCode[])('the error code %s is answered with its status', async code => {
  expect(await PROVOKE[code]()).toMatchObject({ status: ERROR_STATUS[code], body: { error: { code } } })
})

async function shareAs(user: Awaited<ReturnType<typeof newUser>>) {
  return await user.post(`/v1/sessions/${await user.session()}/sharing/link`)
}

/** Asks a route that throws, on an application of its own. */
async function askFailing(url: string) {
  const app = await buildTestApp()
  const fail = async () => {
    throw new Error('a fault of the server')
  }
  app.get('/v1/failing', { config: { scopes: ['account:read'] } }, fail)
  app.get('/v1/failing-sharing', { config: { scopes: ['account:read'], codes: SHARING_CODES } }, fail)
  return await (await newUserOf({ ...(await testDatabase()), app })).get(url)
}

/** Asks an application whose database cannot be reached; the caller is known to it. */
async function askWithoutDatabase(url: string) {
  const nowhere = {
    url: 'postgres://nobody@127.0.0.1:1/none',
    dataDir: '',
    share: false,
    name: 'gone',
    onError: () => {}
  }
  const gone = await openDatabase(nowhere)
  onTestFinished(() => gone.close())
  const app = await buildTestApp({ db: gone.db })
  return await (await newUserOf({ ...(await testDatabase()), app })).get(url)
}
