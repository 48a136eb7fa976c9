import type { User, UserCreate } from '../../contract/admin/user.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import type { Db } from '../../platform/db/open.ts'
import { operation } from '../access/operation.ts'
import { findUser } from '../access/queries.ts'
import type { Needs } from '../services.ts'
import { createSignInLink, limitInvitations } from '../sign-in/sign-in-links.ts'
import { addUser, showUser } from './users.ts'

type Inviting = Needs<'db' | 'clock' | 'jobs'>

/** Adds a user, and has a link mailed to them that signs them in. Signing in by it verifies the address. */
export async function inviteUser(
  services: Inviting & Needs<'quotas' | 'retention'>,
  { email, name }: { email: string } & Pick<UserCreate, 'name'>
): Promise<User> {
  return await services.db.transaction(async tx => {
    const inTransaction = { ...services, db: tx }
    const user = await addUser(inTransaction, { email, name })
    await sendInvitation(tx, services, email)
    return await showUser(inTransaction, user)
  })
}

/** Has another link mailed to a user, for one whose invitation has expired or was lost. Throws conflict for a user without an address. */
export const inviteUserAgain = operation('inviteUserAgain', async (services: Inviting, actor): Promise<void> => {
  await services.db.transaction(async tx => {
    const { email } = (await findUser(tx, actor.userId)) ?? throwNotFound('User')
    if (email === null) throw new ApiError('conflict', 'The user has no e-mail address')
    await sendInvitation(tx, services, email)
  })
})

async function sendInvitation(tx: Db, { clock, jobs }: Omit<Inviting, 'db'>, email: string) {
  const now = clock.now()
  await limitInvitations(tx, email, now)
  const { linkId } = await createSignInLink(tx, { email, browser: null }, now)
  await jobs.enqueue(tx, 'mail-sign-in', { linkId })
}
