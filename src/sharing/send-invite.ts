import type { Clock } from '../core/clock.ts'
import type { Db } from '../db/open.ts'
import type { Attempt, JobData } from '../jobs/jobs.ts'
import { type Mail, MailError } from '../mail/mail.ts'
import { inviteMail } from './invite-mail.ts'
import { findPendingInvite, findSender } from './queries.ts'
import { inviteSecret, joinUrl } from './secret.ts'

export interface Postman {
  db: Db
  mail: Mail
  clock: Clock
  publicUrl: string
  secretKey: string
  onFailure: (inviteId: string, reason: string) => void
}

/**
 * Sends the mail of an invite, unless it was cancelled, taken up or sent anew meanwhile. A mail that the server refuses for
 * good is given up; so is one that it could not take until the last attempt.
 */
export async function sendInvite(postman: Postman, { userId, inviteId, sendCount }: JobData['send-invite'], { last, signal }: Attempt) {
  const { db, mail, clock, publicUrl, secretKey, onFailure } = postman
  const invite = await findPendingInvite(db, userId, inviteId, clock.now())
  const sender = await findSender(db, userId)
  if (invite?.sendCount !== sendCount || !sender?.email) return
  const { email: to, message } = invite
  const url = joinUrl(publicUrl, inviteSecret(secretKey, inviteId))
  try {
    await mail.send(inviteMail({ id: `${inviteId}.${sendCount}`, to, sender: { name: sender.name, email: sender.email }, message, url }))
  } catch (fault) {
    const final = fault instanceof MailError && fault.final
    if (signal.aborted || !(last || final)) throw fault
    onFailure(inviteId, fault instanceof Error ? fault.message : 'unknown')
  }
}
