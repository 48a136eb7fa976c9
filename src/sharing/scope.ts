import type { ShareScope } from '../contract/sharing.ts'
import type { Database, Reader } from '../db/open.ts'
import { lockSharing, setShareScope } from './queries.ts'

const SCOPE = {
  name: 'find_share_scope',
  text: `select coalesce(x.summary, true), coalesce(x.transcript, true), coalesce(x.audio, true), coalesce(x.action_items, true)
    from sessions s left join session_shares x on x.user_id = s.user_id and x.session_id = s.session_id
    where s.user_id = $1 and s.session_id = $2 and s.state <> 'deleted'`
}

/** What recipients see of a session; everything of one that was never shared. Undefined without the session. */
export async function findShareScope(db: Reader, userId: string, sessionId: string): Promise<ShareScope | undefined> {
  const [row] = await db.run<[boolean, boolean, boolean, boolean]>(SCOPE, [userId, sessionId])
  return row && { summary: row[0], transcript: row[1], audio: row[2], action_items: row[3] }
}

/** Changes what is sent of it. Undefined without the session. */
export async function changeShareScope(
  db: Database,
  userId: string,
  sessionId: string,
  sent: { [part in keyof ShareScope]?: boolean | undefined }
): Promise<ShareScope | undefined> {
  if (!(await findShareScope(db, userId, sessionId))) return undefined
  return await db.transaction(async tx => {
    const share = await lockSharing(tx, userId, sessionId)
    const scope = {
      summary: sent.summary ?? share.summary,
      transcript: sent.transcript ?? share.transcript,
      audio: sent.audio ?? share.audio,
      action_items: sent.action_items ?? share.actionItems
    }
    await setShareScope(tx, userId, sessionId, scope)
    return scope
  })
}
