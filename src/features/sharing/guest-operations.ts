import { throwNotFound } from '../../platform/core/api-error.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import type { Services } from '../services.ts'
import { openConsoleSession } from '../sign-in/console-sessions.ts'
import { addGuest } from '../sign-in/guests.ts'
import { requestSignIn } from '../sign-in/sign-in.ts'
import { claimPlace, claimSecret } from './claim.ts'
import { findSecretPlace, type SecretPlace } from './lookup.ts'
import { findInvitedEmail } from './queries.ts'
import { isSecret } from './secret.ts'

/** The browser that opens an invite or a link: signed in as a user or a guest, or known by a cookie only. */
interface Opener {
  actor: Actor | undefined
  /** True for a guest, who accepts nothing but invites of their own mailbox. */
  guest: boolean
  email: string | null
  /** The cookie of the browser. */
  browser: string
}

/**
 * The outcome of accepting: the session may be read, for a new guest with a new cookie; a link was mailed to the mailbox, which has a user; or the
 * browser has to sign in.
 */
type Accepted =
  | { outcome: 'accepted'; ownerId: string; sessionId: string; cookie?: string }
  | { outcome: 'mailed' }
  | { outcome: 'sign-in' }

/**
 * Accepts a link or an invite from the browser that opened it. A signed-in user accepts either. An invite is also proof of the mailbox it was mailed
 * to: one without a user gets a guest's session, once. A mailbox that has a user signs in by mail, because an invite may have been passed on. A
 * link is nobody's proof.
 */
export async function acceptShare(
  services: Pick<Services, 'db' | 'clock' | 'jobs' | 'mailsLinks'>,
  { actor, guest, email, browser }: Opener,
  secret: string
): Promise<Accepted> {
  const { db, clock } = services
  const now = clock.now()
  const place = isSecret(secret) ? await findSecretPlace(db, secret) : undefined
  if (!place) throwNotFound('Link')
  if (actor && !guest) return { outcome: 'accepted', ...(await claimSecret(db, actor.userId, secret, now)) }
  const invited = place.kind === 'invite' ? await findInvited(db, place, now) : undefined
  if (place.kind === 'link') return { outcome: 'sign-in' }
  if (invited === undefined) throwNotFound('Link')
  if (actor && email === invited) return { outcome: 'accepted', ...(await claimSecret(db, actor.userId, secret, now)) }
  const cookie = await claimAsGuest(services, place, invited, now)
  if (cookie !== undefined) return { outcome: 'accepted', ownerId: place.ownerId, sessionId: place.sessionId, cookie }
  if (!services.mailsLinks) return { outcome: 'sign-in' }
  await requestSignIn(services, browser, { email: invited })
  return { outcome: 'mailed' }
}

function findInvited(db: Services['db'], { ownerId, sessionId, hash }: SecretPlace, now: Date) {
  return findInvitedEmail(db, ownerId, sessionId, hash, now)
}

/** Makes the mailbox of an invite a guest that has accepted it, and returns its cookie. Undefined if the mailbox has a user. */
async function claimAsGuest({ db }: Pick<Services, 'db'>, place: SecretPlace, email: string, now: Date) {
  return await db.transaction(async tx => {
    const userId = await addGuest(tx, email, now)
    if (userId === undefined) return undefined
    await claimPlace(tx, userId, place, now)
    return await openConsoleSession(tx, userId, { guest: true, now })
  })
}
