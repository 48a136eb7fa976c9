import type { SignUp } from '../../../contract/sign-in.ts'
import { and, eq } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { userIdentities } from '../../../platform/db/schema/index.ts'
import type { Identity } from '../../../platform/ports/identity-provider.ts'
import { findUser, lockUser, updateUser } from '../../access/queries.ts'
import { admitMailbox, admitUser } from '../guests.ts'
import { SignInRefused } from './refusal.ts'

/**
 * Returns the user of a person whom a provider has identified. Issuer and subject decide. Only at their first sign-in does the address, and then the user
 * is theirs: another person of that provider who gets the address later is refused. Throws SignInRefused, which undoes the transaction.
 */
export async function admitIdentity(tx: Db, identity: Identity, { signUp, now }: { signUp: SignUp; now: Date }) {
  const known = await findUserOfIdentity(tx, identity)
  if (known !== undefined) {
    const user = await lockUser(tx, known)
    // The user may have been deleted since, and the identity with them.
    if (!user || (await findUserOfIdentity(tx, identity)) !== known) throw new SignInRefused('ended', 'user_changed')
    if (user.emailVerifiedAt === null && user.email === identity.email)
      await updateUser(tx, known, { emailVerifiedAt: now })
    return await admitUser(tx, user, signUp)
  }
  const admitted = await admitMailbox(tx, identity.email, { signUp, now })
  if (!admitted) throw new SignInRefused('uninvited')
  if (!(await linkIdentity(tx, admitted.userId, identity, now))) throw new SignInRefused('taken')
  const { name } = identity
  if (name !== null && (await findUser(tx, admitted.userId))?.name === null)
    await updateUser(tx, admitted.userId, { name })
  return admitted
}

async function findUserOfIdentity(db: Db, { issuer, subject }: Identity) {
  const [found] = await db
    .select({ userId: userIdentities.userId })
    .from(userIdentities)
    .where(and(eq(userIdentities.issuer, issuer), eq(userIdentities.subject, subject)))
  return found?.userId
}

/** Returns false if the user is another person of the issuer already, or the person another user. */
async function linkIdentity(tx: Db, userId: string, identity: Identity, now: Date) {
  const { issuer, subject } = identity
  await tx.insert(userIdentities).values({ issuer, subject, userId, createdAt: now }).onConflictDoNothing()
  return (await findUserOfIdentity(tx, identity)) === userId
}

/** Lets the user's address decide again who signs in as them. Returns how many identities they had. */
export async function forgetIdentities(tx: Db, userId: string): Promise<number> {
  const { rowCount } = await tx.delete(userIdentities).where(eq(userIdentities.userId, userId))
  return rowCount ?? 0
}
