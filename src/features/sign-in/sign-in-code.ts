import { createHmac, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '../../contract/limits.ts'
import { deriveKey } from '../../platform/core/derived-key.ts'
import type { Needs } from '../services.ts'
import { admitMailbox } from './guests.ts'
import { type Asker, linkSenderOf } from './link-sender.ts'
import { openSignedIn, type SignedIn } from './sign-in.ts'
import { hashCookie } from './sign-in-link.ts'
import { claimSignInLink, countCodeTries, findSignInLink, lockMailbox, spendCodeTry } from './sign-in-links.ts'

const DIGITS = 6

/**
 * The code of a link, for a browser that can't open it. It is derived from the id and the server key, so that the database does not hold what signs in:
 * a stored hash of so few digits would be guessed at once. Six bytes make the bias towards low codes less than one in 10⁸.
 */
export function signInCode(secretKey: string, linkId: string) {
  const digest = createHmac('sha256', deriveKey(secretKey, 'parlance sign-in code')).update(linkId).digest()
  return String(digest.readUIntBE(0, 6) % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** Returns the digits of a code as people type it, with blanks or a hyphen. Undefined unless it has as many as a code. */
export function readCode(text: string) {
  const digits = text.replace(/[\s-]/g, '')
  return /^\d+$/.test(digits) && digits.length === DIGITS ? digits : undefined
}

/** The outcome of a code: `left` are the tries that are left, and without any, or if it has `ended`, another mail is needed. */
type CodeOutcome = { signedIn: SignedIn } | { left: number } | 'ended' | 'too many'

/**
 * Signs a browser in by the code of the link that it asked for last. A try is spent before codes are compared, and those of an address count one after
 * the other, so that requests at the same time have no more tries than those in turn. Wrong codes of all browsers that the address has not signed in
 * from count together: with five tries a mail and as many mails as strangers ask for, they could go on guessing. For the same reason they count by the
 * network that asked, and for the addresses of all users: of a thousand guesses at a thousand users' codes, each is as likely to be right.
 */
export async function signInByCode(
  { db, clock, secretKey, signUp }: Needs<'db' | 'clock' | 'secretKey' | 'signUp'>,
  asker: Asker,
  { linkId, code }: { linkId: string; code: string }
): Promise<CodeOutcome> {
  const { codes } = LIMITS.signIn
  const now = clock.now()
  const browser = hashCookie(asker.browser)
  return await db.transaction(async tx => {
    const link = await findSignInLink(tx, linkId)
    const isHere = link?.browser?.equals(browser) === true
    if (!link?.email || !isHere || link.usedAt || link.expiresAt <= now) return 'ended'
    await lockMailbox(tx, link.email)
    const { isKnown } = linkSenderOf(secretKey, link.email, asker)
    if (!isKnown && isTooMany(await countCodeTries(tx, link, now))) return 'too many'
    const tries = await spendCodeTry(tx, linkId, { max: codes.tries, now })
    if (tries === undefined) return 'ended'
    const isRight = timingSafeEqual(Buffer.from(signInCode(secretKey, linkId)), Buffer.from(code))
    // An address that may not sign in gets no mail, so its code is wrong like any other, also where it was guessed.
    const found = isRight ? await admitMailbox(tx, link.email, { signUp, now }) : undefined
    if (!found) return tries < codes.tries ? { left: codes.tries - tries } : 'ended'
    if (!(await claimSignInLink(tx, linkId, browser, now))) return 'ended'
    return { signedIn: await openSignedIn(tx, { ...found, secretKey, now }) }
  })
}

function isTooMany(tried: Awaited<ReturnType<typeof countCodeTries>>) {
  const { perDay, perNetwork, total } = LIMITS.signIn.codes
  return tried.of_address >= perDay || tried.of_sender >= perNetwork || tried.of_users >= total
}
