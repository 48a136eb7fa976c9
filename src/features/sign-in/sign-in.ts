import type { SignInRequest } from '../../contract/sign-in.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import { consoleActor } from '../access/actor.ts'
import { operation } from '../access/operation.ts'
import { findUser } from '../access/queries.ts'
import type { Needs, Services } from '../services.ts'
import { endConsoleSession, extendConsoleSession, findConsoleSession, openConsoleSession } from './console-sessions.ts'
import { admitMailbox } from './guests.ts'
import { type Asker, knownCookie, linkSenderOf } from './link-sender.ts'
import { hashCookie, linkIdOf, linkSecret, readCookie, signInUrl } from './sign-in-link.ts'
import { claimSignInLink, createSignInLink, findSignInLink, limitLinks } from './sign-in-links.ts'

/**
 * Has a link and its code mailed to an address that may sign in. The work and the answer are the same for any other address: a job decides, later.
 * Returns the id of the link, by which this browser alone may enter the code.
 */
export async function requestSignIn(
  { db, clock, jobs, secretKey }: Needs<'db' | 'clock' | 'jobs' | 'secretKey'>,
  asker: Asker,
  { email }: SignInRequest
): Promise<string> {
  const now = clock.now()
  return await db.transaction(async tx => {
    const sender = linkSenderOf(secretKey, email, asker)
    await limitLinks(tx, email, sender, now)
    const addressee = { email, browser: hashCookie(asker.browser), sender: sender.sender }
    const { linkId } = await createSignInLink(tx, addressee, now)
    await jobs.enqueue(tx, 'mail-sign-in', { linkId })
    return linkId
  })
}

/** Creates a link that signs any browser in as the user, once, for the operator to hand over. */
export const createSignInUrl = operation(
  'createSignInUrl',
  async (
    { db, clock, publicUrl, secretKey }: Needs<'db' | 'clock' | 'publicUrl' | 'secretKey'>,
    actor
  ): Promise<{ url: string; expires_at: string }> => {
    const { userId } = actor
    if (!(await findUser(db, userId))) throwNotFound('User')
    const { linkId, expiresAt } = await createSignInLink(db, { forUser: userId }, clock.now())
    return { url: signInUrl(publicUrl, linkSecret(secretKey, linkId)), expires_at: expiresAt.toISOString() }
  }
)

/** Whether a link signs this browser in: it does, it does in the browser that asked for it, or not at all any more. */
type SignInState = 'ready' | 'elsewhere' | 'gone'

/** Returns what would happen to a link in this browser, and uses nothing up. */
export async function getSignIn(
  { db, clock, secretKey }: Needs<'db' | 'clock' | 'secretKey'>,
  secret: string,
  browser: string | undefined
): Promise<SignInState> {
  const linkId = linkIdOf(secretKey, secret)
  const link = linkId === undefined ? undefined : await findSignInLink(db, linkId)
  if (!link || link.usedAt || link.expiresAt <= clock.now()) return 'gone'
  const isHere = !link.browser || (browser !== undefined && link.browser.equals(hashCookie(browser)))
  return isHere ? 'ready' : 'elsewhere'
}

/** The cookies of a browser that has just signed in: the session, and for a user with a mailbox the one by which links are counted. */
export interface SignedIn {
  cookie: string
  guest: boolean
  known?: string
}

/** Signs a browser in by a link, which is used up. Throws not_found for a link that is not ready for this browser. */
export async function signIn(
  { db, clock, secretKey, signUp }: Needs<'db' | 'clock' | 'secretKey' | 'signUp'>,
  secret: string,
  browser: string | undefined
): Promise<SignedIn> {
  const linkId = linkIdOf(secretKey, secret) ?? throwNoLink()
  const now = clock.now()
  return await db.transaction(async tx => {
    const link = await claimSignInLink(tx, linkId, browser === undefined ? undefined : hashCookie(browser), now)
    if (!link) throwNoLink()
    const found =
      link.email === null ? await findLinkUser(tx, link.forUser) : await admitMailbox(tx, link.email, { signUp, now })
    const { userId, guest } = found ?? throwNoLink()
    return await openSignedIn(tx, { userId, guest, secretKey, now })
  })
}

/** Opens the session of a user who has proved who they are. */
export async function openSignedIn(
  tx: Needs<'db'>['db'],
  { userId, guest, secretKey, now }: { userId: string; guest: boolean; secretKey: string; now: Date }
): Promise<SignedIn> {
  const { email } = (await findUser(tx, userId)) ?? throwNotFound('User')
  const cookie = await openConsoleSession(tx, userId, { guest, now })
  return { cookie, guest, ...(email !== null && { known: knownCookie(secretKey, email) }) }
}

async function findLinkUser(db: Needs<'db'>['db'], userId: string | null) {
  const user = userId === null ? undefined : await findUser(db, userId)
  return user && { userId: user.userId, guest: user.guest }
}

function throwNoLink(): never {
  throw new ApiError('not_found', 'The link was used, has expired, or was asked for in another browser')
}

/** The user of a browser that is signed in. */
export interface Visitor {
  actor: Actor
  /** True for a browser that may only read what is shared. */
  guest: boolean
  /** True for a browser that may see the pages for operators. */
  operator: boolean
  name: string | null
  email: string | null
  timeZone: string
}

/** Returns the visitor of a cookie. Undefined for one that has ended, on any server. */
export async function authenticateConsole(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  cookie: string
): Promise<Visitor | undefined> {
  const read = readCookie(cookie)
  if (!read) return undefined
  const { userId, hash } = read
  const now = clock.now()
  const session = await findConsoleSession(db, userId, hash, now)
  if (!session) return undefined
  const { guest, operator, expiresAt, name, email, timeZone } = session
  if (!guest) await extendConsoleSession(db, userId, { hash, expiresAt, now })
  return { actor: consoleActor(userId, { guest }), guest, operator: operator && !guest, name, email, timeZone }
}

/** Ends the session of a cookie, on every server. Repeating it changes nothing. */
export async function signOut({ db }: Needs<'db'>, cookie: string): Promise<void> {
  const read = readCookie(cookie)
  if (read) await endConsoleSession(db, read.userId, read.hash)
}
