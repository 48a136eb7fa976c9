import { expect } from 'vitest'
import { everyScope } from '../../src/features/access/actor.ts'
import { type UserChange, updateUser } from '../../src/features/access/queries.ts'
import { inviteSecret, joinUrl } from '../../src/features/sharing/claim.ts'
import { updateShareScope } from '../../src/features/sharing/operations.ts'
import { claimShare } from '../../src/features/sharing/recipient-operations.ts'
import { clock, newUserOf, PUBLIC_URL, SECRET_KEY, type Served, testServer } from './server.ts'

export type User = Awaited<ReturnType<typeof newUserOf>>

export const ALL_SHARED = { summary: true, transcript: true, audio: true, action_items: true }

/** The error of a link that does not exist any more. An expired one has the same code. */
export const UNKNOWN_LINK = { code: 'not_found', problem: expect.stringContaining('There is no such link') }

/** Adds a user with a verified address, who can share. */
export async function newSharer(change: UserChange = {}, served?: Served) {
  const user = await newUserOf(served ?? (await testServer()))
  const email = `${user.id}@example.com`
  await updateUser(user.db, user.id, { name: 'Ada', email, emailVerifiedAt: clock.now(), ...change })
  return { ...user, email }
}

/** Returns the URL of a new link to the session. */
export async function linkTo(owner: User, sessionId: string) {
  const { body } = await owner.post(`/v1/sessions/${sessionId}/sharing/link`)
  return String(body.url)
}

/** Returns the URL in the mail of a new invite to that address. */
export async function inviteTo(owner: User, sessionId: string, email: string) {
  const sharing = `/v1/sessions/${sessionId}/sharing`
  await owner.post(`${sharing}/invites`, { emails: [email] })
  const { body } = await owner.get(sharing)
  const invite = body.pending_invites.find((pending: { email: string }) => pending.email === email)
  return joinUrl(PUBLIC_URL, inviteSecret(SECRET_KEY, invite.invite_id))
}

export async function claim({ id, db }: Pick<User, 'db'> & { id: string }, url: string, now = clock.now()) {
  const services = { db, clock: { now: () => now }, publicUrl: PUBLIC_URL }
  const { owner_id: ownerId, session_id: sessionId } = await claimShare(services, everyScope(id, 'command'), { url })
  return { ownerId, sessionId }
}

/** Shares those parts of a session, or no longer. */
export async function changeShareScope(
  { id, db }: Pick<User, 'db'> & { id: string },
  sessionId: string,
  parts: Partial<typeof ALL_SHARED>
) {
  await updateShareScope({ db }, everyScope(id, 'command'), sessionId, parts)
}

/** Returns an owner, a session of theirs, and a user with whom it is shared by link. */
export async function sharedSession(document: object = {}) {
  const [owner, recipient] = [await newSharer(), await newSharer({ name: 'Ben' })]
  const id = await owner.session(document)
  await claim(recipient, await linkTo(owner, id))
  return { owner, recipient, id, path: `/v1/shared-sessions/${owner.id}/${id}`, sharing: `/v1/sessions/${id}/sharing` }
}
