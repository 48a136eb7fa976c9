import { INDEX_VERSION } from '../../src/features/library/index/write-terms.ts'
import { newId } from '../../src/platform/core/ids.ts'
import { openPlace, type Place } from './process.ts'

/** The statements that make the sessions of a user by their numbers, as if they had been imported and processed. */
const STATEMENTS = [
  `insert into sessions (user_id, session_id, state, external_id, title, "timestamp", sort_at, duration_seconds, type, platform, language, summary,
     notes, tags, favorite, keep, action_items, action_items_version, action_items_updated_at, created_at, updated_at)
   select $1, id, 'completed', 'made-' || n, 'Number ' || n || ' “é” / \\ 🎙', at, at, 40, 'meeting', 'zoom', 'en',
     E'## Overview\\n\\nThe budget of number ' || n || ' is agreed.', case when n % 3 = 0 then 'Call back about ' || n end,
     array['roadmap', 'n' || n % 7], n % 5 = 0, n % 11 = 0, jsonb_build_array(jsonb_build_object('id', replace(id, 'ses_', 'ai_'),
       'text', 'Send offer ' || n, 'completed', n % 2 = 0, 'source', 'agent', 'assignee', null, 'due_date', '2026-03-06', 'source_start', 4,
       'user_edited_at', null, 'created_at', 1767225600000, 'updated_at', 1767225600000)), 1, at, at, at
   from (select $2::int + n as n, id, '2026-01-01'::timestamptz + ($2::int + n) * interval '1 minute' as at
     from unnest($3::text[]) with ordinality made(id, n)) made`,
  `insert into transcripts (user_id, session_id, segments, bytes, speakers)
   select $1, id, (select jsonb_agg(jsonb_build_object('speaker', 'Speaker ' || i % 3, 'start', i * 4, 'end',
     i * 4 + 4, 'text', 'Line ' || i || ' of number ' || n || ' is about the budget of the quarter.') order by i)
     from generate_series(0, 9) i), 1000, '[]' from (select $2::int + n as n, id from unnest($3::text[]) with ordinality made(id, n)) made`,
  `insert into search_documents (user_id, session_id, part, stemmer, version, passages, terms)
   select $1, id, part, 'simple', ${INDEX_VERSION}, 0, '{}'
   from (select id, $2::int from unnest($3::text[]) id) made cross join (values ('said'), ('title'), ('names'), ('about')) p(part)`
]

const BATCH = 500

/** Gives a user that many sessions, much faster than an import does. No list has them, but an export has. */
export async function makeSessions(place: Place, userId: string, count: number) {
  const opened = await openPlace(place)
  for (let from = 0; from < count; from += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, count - from) }, () => newId('ses'))
    for (const statement of STATEMENTS) await opened.pool.query(statement, [userId, from, ids])
  }
  await opened.close()
}
