import { sql } from '../../platform/db/drizzle.ts'

/** Conditions without an index of their own, which are tested for each item in order. */
export interface ItemsAmong {
  sessionId?: string | undefined
  /** The words that the text of the item has, in any case. */
  words?: readonly string[] | undefined
  /** The period of the conversation. The end is exclusive. */
  since?: string | undefined
  until?: string | undefined
}

/** The session is looked up by a scalar subselect for each item that the other conditions leave, because the page is read in order. */
export function amongConditions(userId: string, { sessionId, words = [], since, until }: ItemsAmong) {
  const ofSession = [
    ...(since === undefined ? [] : [sql`s.sort_at >= ${since}::timestamptz`]),
    ...(until === undefined ? [] : [sql`s.sort_at < ${until}::timestamptz`]),
    ...words.map(
      word =>
        sql`strpos(lower(jsonb_path_query_first(s.action_items, '$[*] ? (@.id == $id)', jsonb_build_object('id', a.item_id))->>'text'), lower(${word})) > 0`
    )
  ]
  return [
    ...(sessionId === undefined ? [] : [sql`a.session_id = ${sessionId}`]),
    ...(ofSession.length === 0
      ? []
      : [
          sql`(select ${sql.join(ofSession, sql` and `)} from sessions s where s.user_id = ${userId} and s.session_id = a.session_id)`
        ])
  ]
}
