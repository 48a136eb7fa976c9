import { LIMITS } from '../../contract/limits.ts'
import type { JobAttempt, Jobs } from '../../platform/jobs/jobs.ts'
import type { JobData } from '../../platform/jobs/queues.ts'
import type { Mail, Message } from '../../platform/mail/mail.ts'
import { sendInJob } from '../../platform/mail/send-in-job.ts'
import { nameInMail } from '../../platform/text/mail-name.ts'
import { findUser } from '../access/queries.ts'
import { claimNotice, type Expiring, findToken, listExpiring, type Token } from '../access/tokens.ts'
import type { Services } from '../services.ts'

const DAY_MS = 86_400_000
/** The days before the expiry for which mails are sent, the last one at the end. */
const NOTICE_DAYS = [LIMITS.tokenNoticeDays.first, LIMITS.tokenNoticeDays.last]
const BATCH_SIZE = 500

/**
 * Enqueues a mail for each token that expires soon. The transaction that enqueues a mail notes it at the token, so that any number of servers
 * sends it once.
 */
export async function noticeExpiringTokens(
  { db, jobs, clock }: Pick<Services, 'db' | 'clock'> & { jobs: Pick<Jobs, 'enqueue'> },
  signal: AbortSignal
) {
  const now = clock.now()
  const until = new Date(now.getTime() + LIMITS.tokenNoticeDays.first * DAY_MS)
  for (let after = { userId: '', tokenId: '' }; !signal.aborted; ) {
    const tokens = await listExpiring(db, { after, now, until, limit: BATCH_SIZE })
    for (const token of tokens) {
      const days = findDueNotice(token, now)
      if (days === undefined) continue
      const { userId, tokenId } = token
      await db.transaction(async tx => {
        if (await claimNotice(tx, userId, tokenId, days))
          await jobs.enqueue(tx, 'mail-expiry', { userId, tokenId, days })
      })
    }
    const last = tokens.at(-1)
    if (!last) return
    after = last
  }
}

/** Returns the days of the mail that is due and not sent. A token that is issued for no longer gets none. */
function findDueNotice({ createdAt, expiresAt, noticedDays }: Expiring, now: Date) {
  return NOTICE_DAYS.findLast(days => {
    const isNear = expiresAt.getTime() - now.getTime() <= days * DAY_MS
    const isLonger = expiresAt.getTime() - createdAt.getTime() > days * DAY_MS
    return isNear && isLonger && (noticedDays === null || noticedDays > days)
  })
}

interface ExpiryMailer extends Pick<Services, 'db' | 'clock' | 'publicUrl'> {
  mail: Mail
  onFailure: (tokenId: string, reason: string) => void
}

/** Sends the mail about a token, unless it was revoked or has expired, or its owner has no verified address any more. */
export async function sendExpiryMail(
  { db, mail, clock, publicUrl, onFailure }: ExpiryMailer,
  { userId, tokenId, days }: JobData['mail-expiry'],
  attempt: JobAttempt
) {
  const user = await findUser(db, userId)
  const token = await findToken(db, userId, tokenId)
  if (!user?.email || !user.emailVerifiedAt || !token || token.revokedAt || token.expiresAt <= clock.now()) return
  const notice = toExpiryMail(token, { id: `${tokenId}.${days}`, to: user.email, publicUrl })
  await sendInJob(mail, notice, attempt, reason => onFailure(tokenId, reason))
}

/** Shows no more of the token than lists do. */
function toExpiryMail(
  { name, hint, scopes, expiresAt }: Token,
  { id, to, publicUrl }: { id: string; to: string; publicUrl: string }
): Message {
  const [token, until] = [`The token "${nameInMail(name)}"`, ON_DAY.format(expiresAt)]
  return {
    id,
    to,
    subject: `${token} expires on ${until}`,
    text: `${token} (${hint}…) of ${publicUrl} expires on ${until} at ${AT_TIME.format(expiresAt)} UTC.

Programs that use it are refused from then on. Ask the operator of the server for a new token, give it to these programs, and have the old one revoked.

Its scopes are: ${scopes.join(', ')}
`
  }
}

const ON_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const AT_TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' })
