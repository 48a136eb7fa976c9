import type { SignUp } from '../../contract/sign-in.ts'
import { newId } from '../../platform/core/ids.ts'
import type { Db } from '../../platform/db/open.ts'
import { findUserOfEmail } from '../access/lookup.ts'
import { createUser, findUser, lockUser, type UserChange, type UserRow, updateUser } from '../access/queries.ts'
import { endConsoleSessions } from './console-sessions.ts'

const NEW_USER = { name: null, timeZone: 'UTC', subscriptionActive: true }

/** Adds the user of a mailbox that accepts an invite. Undefined if the mailbox has a user, who signs in. */
export async function addGuest(tx: Db, email: string, now: Date) {
  const userId = newId('usr')
  const guest = { ...NEW_USER, email, emailVerifiedAt: now, guest: true, createdAt: now }
  return (await createUser(tx, userId, guest)) ? userId : undefined
}

/** Makes a guest a user, with what a new user gets. The sessions of an invite end: its link may have been passed on. */
export async function promoteGuest(tx: Db, userId: string, user: UserChange) {
  await updateUser(tx, userId, { ...user, guest: false })
  await endConsoleSessions(tx, userId, { guest: true })
}

/** Returns the user that a mailbox signs in as, if it may. */
export async function findSignInUser(db: Db, email: string, signUp: SignUp): Promise<'new' | UserRow | undefined> {
  const userId = await findUserOfEmail(db, email)
  const user = userId === undefined ? undefined : await findUser(db, userId)
  return user ?? (signUp === 'open' ? 'new' : undefined)
}

/**
 * Returns the user of a mailbox that has proved itself, verified from now on. A guest becomes a user unless nobody may. Undefined for a mailbox
 * that has no user and may not become one.
 */
export async function admitMailbox(tx: Db, email: string, { signUp, now }: { signUp: SignUp; now: Date }) {
  const found = await findSignInUser(tx, email, signUp)
  if (found === undefined) return undefined
  if (found === 'new') return await addSignedUp(tx, email, now)
  const user = await lockUser(tx, found.userId)
  if (!user || user.email !== email) return undefined
  if (user.emailVerifiedAt === null) await updateUser(tx, user.userId, { emailVerifiedAt: now })
  return await admitUser(tx, user, signUp)
}

/** Lets a user in who has proved who they are, and whose row is locked. A guest becomes a user unless nobody may. */
export async function admitUser(tx: Db, { userId, guest }: Pick<UserRow, 'userId' | 'guest'>, signUp: SignUp) {
  if (guest && signUp !== 'closed') await promoteGuest(tx, userId, {})
  else if (guest) await endConsoleSessions(tx, userId, { guest: true })
  return { userId, guest: guest && signUp === 'closed' }
}

async function addSignedUp(tx: Db, email: string, now: Date) {
  const userId = newId('usr')
  const added = await createUser(tx, userId, { ...NEW_USER, email, emailVerifiedAt: now, createdAt: now })
  return added ? { userId, guest: false } : undefined
}
