import type { ProfileChange, User } from '../../contract/admin/user.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import { operation } from '../access/operation.ts'
import { findNameAndZone, findUser } from '../access/queries.ts'
import { endGrants } from '../oauth/grants.ts'
import type { Needs, Services } from '../services.ts'
import { endConsoleSessions, selectConsoleSessions } from '../sign-in/console-sessions.ts'
import { readCookie } from '../sign-in/sign-in-link.ts'
import { endSignInLinks } from '../sign-in/sign-in-links.ts'
import { changeUser, showUser } from './users.ts'

/** Changes what users may change of themselves: name, time zone and shorter retention, and nothing that the operator decides. */
export const updateProfile = operation(
  'updateProfile',
  async (
    services: Needs<'db' | 'clock' | 'quotas' | 'retention'>,
    actor,
    { name, time_zone, retention }: ProfileChange
  ): Promise<User> => {
    const changed = await changeUser(services, actor.userId, { name, time_zone, retention })
    return await showUser(services, changed ?? throwNotFound('User'))
  }
)

/** A browser that is signed in to the console. */
export interface SignedInBrowser {
  signed_in_at: string
  /** At most a day too early, because uses are written once a day. */
  last_used_at: string
  /** Whether it is the browser of the cookie. */
  is_this: boolean
}

/** Lists the browsers in which the user is signed in, the newest first. */
export const listBrowsers = operation(
  'listBrowsers',
  async ({ db, clock }: Needs<'db' | 'clock'>, actor, cookie: string | undefined): Promise<SignedInBrowser[]> => {
    const secret = cookie === undefined ? undefined : readCookie(cookie)?.hash
    const sessions = await selectConsoleSessions(db, actor.userId, clock.now())
    return sessions.map(({ hash, createdAt, lastUsedAt }) => ({
      signed_in_at: createdAt.toISOString(),
      last_used_at: lastUsedAt.toISOString(),
      is_this: secret?.equals(hash) ?? false
    }))
  }
)

/**
 * Ends all sessions of the user in browsers, this one too, the links that would begin others, and the connections and codes of all agents: whoever sat at
 * another browser may have connected one, and connecting again takes a click. Tokens go on working, because programs without a person depend on them.
 */
export const signOutEverywhere = operation(
  'signOutEverywhere',
  async ({ db, clock }: Needs<'db' | 'clock'>, actor): Promise<void> => {
    const now = clock.now()
    await db.transaction(async tx => {
      const user = await findUser(tx, actor.userId)
      await endGrants(tx, actor.userId, now)
      await endSignInLinks(tx, actor.userId, user?.email ?? null, now)
      await endConsoleSessions(tx, actor.userId)
    })
  }
)

/** The name and the time zone of a user, for every answer to them. */
export async function findProfile({ db }: Pick<Services, 'db'>, { userId }: Pick<Actor, 'userId'>) {
  return (await findNameAndZone(db, userId)) ?? throwNotFound('User')
}
