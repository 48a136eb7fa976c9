import type { User, UserCreate } from '../../contract/admin/user.ts'
import { invalid, throwNotFound } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import type { Db } from '../../platform/db/open.ts'
import { findCounted, findUserOfEmail } from '../access/lookup.ts'
import { createUser, lockUser, type UserRow, updateUser } from '../access/queries.ts'
import { changeQuotas, toUserQuotas } from '../access/quota-uses.ts'
import type { Needs } from '../services.ts'
import { promoteGuest } from '../sign-in/guests.ts'
import { forgetIdentities } from '../sign-in/oidc/identities.ts'
import { changeRetention, NO_RETENTION, toRetention } from './retention.ts'

type Changing = Needs<'db' | 'clock' | 'retention'>

/** Throws invalid_request if another user has the e-mail address. */
export async function addUser({ db, clock, retention }: Changing, sent: UserCreate): Promise<UserRow> {
  const now = clock.now()
  const { email = null, name = null, verified_caller_id: verifiedCallerId = null } = sent
  const user: UserRow = {
    userId: newId('usr'),
    name,
    email,
    emailVerifiedAt: verifiedAt(sent.email_verified, email, now),
    timeZone: sent.time_zone ?? 'UTC',
    subscriptionActive: sent.subscription_active ?? true,
    verifiedCallerId,
    quotas: changeQuotas({}, sent.quotas ?? {}),
    ...changeRetention(retention, NO_RETENTION, sent.retention ?? {}),
    guest: false,
    unsharedSince: null,
    operator: sent.operator ?? false,
    createdAt: now,
    deletedAt: null
  }
  return (await createUser(db, user.userId, user)) ? user : await takeOverGuest(db, user)
}

/** Makes the guest with the address the new user, who keeps what is shared with them. */
async function takeOverGuest(db: Db, added: UserRow): Promise<UserRow> {
  return await db.transaction(async tx => {
    const userId = added.email === null ? undefined : await findUserOfEmail(tx, added.email)
    const guest = userId === undefined ? undefined : await lockUser(tx, userId)
    if (!guest?.guest) throw emailTaken()
    const { name, emailVerifiedAt, timeZone, operator, subscriptionActive, verifiedCallerId, quotas } = added
    const { retentionAudioDays, retentionSessionDays } = added
    const decided = { operator, subscriptionActive, verifiedCallerId, quotas, retentionAudioDays, retentionSessionDays }
    const user = { name, emailVerifiedAt, timeZone, ...decided }
    await promoteGuest(tx, guest.userId, user)
    return { ...guest, ...user, guest: false }
  })
}

/**
 * Changes the sent fields. A new address is unverified unless the change says otherwise. Returns undefined without the user. Throws
 * invalid_request if another user has the address.
 */
export async function changeUser(
  { db, clock, retention: periods }: Changing,
  userId: string,
  sent: UserCreate
): Promise<UserRow | undefined> {
  const now = clock.now()
  return await db.transaction(async tx => {
    const before = await lockUser(tx, userId)
    if (!before) return undefined
    const {
      email = before.email,
      name = before.name,
      time_zone: timeZone = before.timeZone,
      operator = before.operator,
      subscription_active: subscriptionActive = before.subscriptionActive,
      verified_caller_id: verifiedCallerId = before.verifiedCallerId
    } = sent
    if (operator && before.guest) throw invalid(GUEST_OPERATOR)
    const stillVerified = email === before.email ? before.emailVerifiedAt : null
    const isKept = sent.email_verified === undefined || (sent.email_verified && stillVerified)
    const emailVerifiedAt = isKept ? stillVerified : verifiedAt(sent.email_verified, email, now)
    const quotas = changeQuotas(before.quotas, sent.quotas ?? {})
    const retention = changeRetention(periods, before, sent.retention ?? {})
    const decided = { operator, subscriptionActive, verifiedCallerId, quotas, ...retention }
    const change = { email, emailVerifiedAt, name, timeZone, ...decided }
    if (!(await updateUser(tx, userId, change))) throw emailTaken()
    // An account that passes to another address passes to whoever signs in with that.
    if (email !== before.email) await forgetIdentities(tx, userId)
    return { ...before, ...change }
  })
}

const GUEST_OPERATOR = {
  field: 'operator',
  problem: 'the user is a guest',
  expected: 'a user who has signed in by mail, or false'
}

function verifiedAt(verified: boolean | undefined, email: string | null, now: Date) {
  if (!verified) return null
  if (email === null)
    throw invalid({
      field: 'email_verified',
      problem: 'there is no e-mail address to verify',
      expected: 'email with it'
    })
  return now
}

function emailTaken() {
  return invalid({ field: 'email', problem: 'another user has this address', expected: 'one of their own' })
}

/** The user as the operator sees them. */
export async function showUser(services: Needs<'db' | 'clock' | 'quotas'>, row: UserRow): Promise<User> {
  const [user] = await toUsers(services, [row])
  return user ?? throwNotFound('User')
}

/** The users as the operator sees them, with what each has used of their quotas. */
export async function toUsers(
  { db, clock, quotas }: Needs<'db' | 'clock' | 'quotas'>,
  rows: readonly UserRow[]
): Promise<User[]> {
  const counted = await findCounted(
    db,
    rows.map(({ userId }) => userId)
  )
  const now = clock.now()
  return rows.map(row => ({
    id: row.userId,
    email: row.email,
    name: row.name,
    time_zone: row.timeZone,
    email_verified: row.emailVerifiedAt !== null,
    guest: row.guest,
    operator: row.operator,
    subscription_active: row.subscriptionActive,
    verified_caller_id: row.verifiedCallerId,
    quotas: toUserQuotas(counted.get(row.userId) ?? throwNotFound('User'), quotas, now),
    retention: toRetention(row),
    created_at: row.createdAt.toISOString()
  }))
}
