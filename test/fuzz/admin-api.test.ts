import { test } from 'vitest'
import { buildTestAdminApi, KEY } from '../support/admin-api.ts'
import { SEED } from '../support/seed.ts'
import { newUserOf, testServer } from '../support/server.ts'
import { linkTo } from '../support/sharing.ts'
import type { Document } from './document.ts'
import { ADMIN_CASES, fuzz } from './run.ts'
import { furnished, type Sent, worldOf } from './world.ts'

test(`whatever is sent to the admin API, the answer is one that its document describes (seed ${SEED})`, {
  timeout: 900_000
}, async () => {
  const app = await buildTestAdminApi()
  const served = await testServer()
  const document = (await app.inject('/app/v1/openapi.json')).json<Document>()

  async function openWorld() {
    const [user, other] = [await newUserOf(served), await newUserOf(served)]
    const [own, foreign] = [await furnished(served, user, other), await furnished(served, other, user)]
    const known = [...own, ...foreign, user.tokenId, await linkTo(other, foreign[1]!)]
    const [ownerId, id] = foreign
    const shared = { user_id: user.id, owner_id: ownerId!, id: id! }
    return worldOf(app, `Bearer ${KEY}`, { wrongKeys: [user.token, KEY.slice(1)], known, shared })
  }

  /** A session is kept for a while unless it is deleted for good; a revoked token is listed as such, and a session taken out of a folder stays. */
  const stays = ({ operation: { name }, query }: Sent) =>
    name === 'revokeToken' ||
    name === 'removeSessionFromFolder' ||
    (name === 'deleteSession' && !query.some(([key, value]) => key === 'permanently' && value === 'true'))
  await fuzz({ document, cases: ADMIN_CASES, mostRefused: 6, openWorld, stays })
})
