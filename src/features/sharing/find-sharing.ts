import type { SessionSharingResponse } from '../../contract/sharing.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'

type Recipient = SessionSharingResponse['people'][number]
type Access = Omit<Recipient, 'name' | 'email'> & { shared_at: string }
type PendingInvite = SessionSharingResponse['pending_invites'][number] & { sent_at: string; last_sent_at: string }

interface Sharing {
  people: Access[]
  pending_invites: PendingInvite[]
}

/** Returns the recipients and pending invites. Undefined without the session. */
export async function findSharing(
  db: Queryable,
  userId: string,
  sessionId: string,
  now: Date
): Promise<SessionSharingResponse | undefined> {
  const [sharing] = await db.query<Sharing>(sql`
    select
      (select coalesce(json_agg(json_build_object('id', g.recipient_id, 'shared_at', g.shared_at, 'sources', g.sources)
          order by g.shared_at, g.recipient_id), '[]')
        from share_grants g
        where g.user_id = ${userId} and g.session_id = s.session_id and g.active) as people,
      (select coalesce(json_agg(json_build_object('email', email, 'sent_at', sent_at, 'last_sent_at', last_sent_at, 'send_count', send_count,
          'invite_id', invite_id) order by sent_at, invite_id), '[]')
        from share_invites i
        where i.user_id = ${userId} and i.session_id = s.session_id and i.claimed_by is null and i.expires_at > ${now}) as pending_invites
    from sessions s where s.user_id = ${userId} and s.session_id = ${sessionId} and s.state <> 'deleted'`)
  if (!sharing) return undefined
  const ids = sharing.people.map(({ id }) => id)
  const names = await findNames(db, ids)
  return {
    people: sharing.people.map(({ id, shared_at, sources }) => {
      const { name = null, email = null } = names.get(id) ?? {}
      return { id, name, email, shared_at: iso(shared_at), sources }
    }),
    pending_invites: sharing.pending_invites.map(invite => ({
      ...invite,
      sent_at: iso(invite.sent_at),
      last_sent_at: iso(invite.last_sent_at)
    })),
    link: { url: null }
  }
}

/** Returns the names and addresses of users by id. */
async function findNames(db: Queryable, ids: string[]) {
  if (ids.length === 0) return new Map<string, Pick<Recipient, 'name' | 'email'>>()
  const userIds = sql.param(ids)
  const rows = await db.query<Pick<Recipient, 'id' | 'name' | 'email'>>(sql`
    select user_id as id, name, email from users where user_id = any(${userIds}::text[])`)
  return new Map(rows.map(({ id, name, email }) => [id, { name, email }]))
}

/** Postgres writes instants inside JSON in another format. */
function iso(instant: string) {
  return new Date(instant).toISOString()
}
