// @module-tag both

import { expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { issueToken, removeOldTokens, setRevoked } from '../../../src/features/access/tokens.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { clock, newUser } from '../../support/server.ts'

const DAY_MS = 86_400_000
const never = new AbortController().signal
const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const LONG_AGO = daysAgo(300)

type User = Awaited<ReturnType<typeof newUser>>

/** Issues a token that expires so many days before now. */
const expired = ({ db, id }: User, name: string, days: number) =>
  issueToken(db, id, name, ['sessions:read'], LONG_AGO, (300 - days) * 86_400)

async function revoked({ db, id }: User, name: string, days: number) {
  const token = await issueToken(db, id, name, ['sessions:read'], LONG_AGO)
  await setRevoked(db, id, token.id, daysAgo(days))
  return token
}

/** The names of the tokens that are listed, and the number of stored hashes. */
async function kept({ db, id }: User) {
  const { rows } = await db.execute<{ name: string }>(sql`select name from tokens where user_id = ${id} order by name`)
  const hashes = await db.execute(sql`select from token_owners where user_id = ${id}`)
  return { names: rows.map(({ name }) => name), hashes: hashes.rows.length }
}

test('a token is listed for 90 days after it was revoked or has expired, to the millisecond, and then goes with its hash', async () => {
  const user = await newUser()
  const days = LIMITS.endedTokenDays
  await expired(user, 'expired, old', days)
  await expired(user, 'expired, young', days - 1 / DAY_MS)
  await revoked(user, 'revoked, old', days)
  await revoked(user, 'revoked, young', days - 1 / DAY_MS)
  const works = await issueToken(user.db, user.id, 'works', ['sessions:read'], LONG_AGO)
  const { names: before, hashes } = await kept(user)
  expect(before).toHaveLength(hashes)

  await removeOldTokens(user.db, clock.now(), never)
  const after = await kept(user)
  expect(after.names).toEqual(before.filter(name => !name.endsWith('old')))
  expect(after.names).toEqual(expect.arrayContaining(['expired, young', 'revoked, young', 'works']))
  expect(after.hashes).toBe(hashes - 2)
  expect((await user.send('/v1/sessions', bearer(works.token))).status).toBe(200)
})

test('the place of a removed token in the feed goes with it', async () => {
  const user = await newUser()
  const token = await revoked(user, 'reader', LIMITS.endedTokenDays)
  await user.db.execute(sql`insert into token_cursors (user_id, token_id, seq) values (${user.id}, ${token.id}, 7)`)
  await removeOldTokens(user.db, clock.now(), never)
  const { rows } = await user.db.execute(sql`select from token_cursors where user_id = ${user.id}`)
  expect(rows).toEqual([])
})

test('tokens of many users go in one run, and a removed one is refused as an unknown one is', async () => {
  const users = await Promise.all([newUser(), newUser(), newUser()])
  for (const user of users) await revoked(user, 'a', 91)
  const [user] = users
  const { token } = await expired(user!, 'b', 120)
  const refused = await user!.send('/v1/sessions', bearer(token))
  expect(await removeOldTokens(user!.db, clock.now(), never)).toBeGreaterThanOrEqual(4)
  for (const { names } of await Promise.all(users.map(kept))) expect(names).not.toContain('a')
  expect((await user!.send('/v1/sessions', bearer(token))).body).toEqual(refused.body)
  expect(refused.status).toBe(401)
})
