import type { EventType } from '../../src/contract/event.ts'
import { EXAMPLES } from '../../src/contract/examples.ts'
import type { OpenDatabase } from '../../src/db/open.ts'
import { NOW } from './server.ts'

/** Adds events of those types at the end of a user's feed, without recording a change. */
export async function addEvents({ pool }: Pick<OpenDatabase, 'pool'>, userId: string, types: EventType[]) {
  await pool.query(
    `insert into user_counters as c (user_id, last_seq) values ($1, $2)
     on conflict (user_id) do update set last_seq = c.last_seq + excluded.last_seq`,
    [userId, types.length]
  )
  const { id: _, event: __, ...event } = EXAMPLES.webhookPayload
  await pool.query(
    `insert into events (user_id, seq, event_id, type, session_id, created_at, body)
     select user_id, seq, 'evt_' || user_id || seq, type, 'ses_x', $3,
       json_build_object('id', 'evt_' || user_id || seq, 'event', type)::jsonb || $4::jsonb
     from (
       select user_id, last_seq - cardinality($2::text[]) + n as seq, type
       from user_counters, unnest($2::text[]) with ordinality as e(type, n) where user_id = $1
     ) added`,
    [userId, types, NOW, JSON.stringify(event)]
  )
}
