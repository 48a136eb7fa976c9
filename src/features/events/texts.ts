import { hash } from 'node:crypto'
import type { SessionDetail } from '../../contract/session.ts'
import { deleteAt } from '../../platform/db/delete-rows.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { FIRST_OUTSIDE_FEED } from '../../platform/db/schema/events.ts'

/** Events refer to fields whose JSON has so many characters. PostgreSQL stores a shorter one in the row, where a reference saves nothing. */
const LARGE = 4_000

/** Stands in a recorded body for a large field. The JSON of a session contains no control character, so it stands for nothing else. */
const CUT = '\u001f'

/** A large field as JSON. */
interface LargeText {
  hash: string
  json: string
}

/** The data of an event as it is stored. */
interface RecordedData {
  /** JSON with `CUT` in place of each large field. */
  data: string
  /** The large fields, in the order of their places. */
  texts: LargeText[]
  /** The bytes of the data as they are sent. */
  bytes: number
}

/** Cuts the large fields out of the data of an event. With them in their places it is the JSON of `{ session }`. */
export function cutLargeTexts(session: SessionDetail): RecordedData {
  const texts: LargeText[] = []
  const fields = Object.entries(session)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const json = JSON.stringify(value)
      if (json.length < LARGE) return `"${name}":${json}`
      texts.push({ hash: hash('sha256', json, 'base64url'), json })
      return `"${name}":${CUT}`
    })
  const data = `{"session":{${fields.join(',')}}}`
  const cut = texts.reduce((sum, { json }) => sum + Buffer.byteLength(json) - CUT.length, 0)
  return { data, texts, bytes: Buffer.byteLength(data) + cut }
}

/** The references of an event to its large texts, as the value of its column. */
export function referencesTo(texts: LargeText[]) {
  return texts.length > 0 ? texts.map(text => text.hash) : null
}

/**
 * Stores the texts that the session's events do not have yet, and notes the newest event that refers to each. The user's counters must be
 * locked, and so must the session, against its deletion.
 */
export async function storeTexts(
  tx: Db,
  userId: string,
  sessionId: string,
  texts: LargeText[],
  { lastSeq, lastOutside }: { lastSeq: number; lastOutside: number }
) {
  // One statement must not change a row twice.
  const jsonOf = new Map(texts.map(text => [text.hash, text.json]))
  if (jsonOf.size === 0) return
  await tx.execute(sql`
    insert into event_texts as t (user_id, session_id, hash, json, last_seq, last_outside) values ${sql.join(
      [...jsonOf].map(([key, json]) => sql`(${userId}, ${sessionId}, ${key}, ${json}, ${lastSeq}, ${lastOutside})`),
      sql`, `
    )}
    on conflict (user_id, session_id, hash) do update
      set last_seq = greatest(t.last_seq, excluded.last_seq), last_outside = greatest(t.last_outside, excluded.last_outside)`)
}

/**
 * Removes texts to which no event refers any more, up to a maximum. Returns how many. They are those whose newest event precedes the oldest
 * one that is kept. An event that refers to a text meanwhile is newer than all that this statement sees, so its text stays. Locked texts are
 * skipped, because the deletion of their session may wait for the counters.
 */
export async function removeUnusedTexts(db: Db, userId: string, atOnce: number) {
  const oldest = (condition: string) =>
    sql`(select min(seq) from events where user_id = ${userId} and ${sql.raw(condition)})`
  const places = sql`
    select t.ctid from event_texts t
    cross join (
      select coalesce(${oldest('seq > 0')}, last_seq + 1) as seq,
        coalesce(${oldest('seq < 0')}, webhook_events + 1 + ${FIRST_OUTSIDE_FEED}::bigint) as outside
      from user_counters where user_id = ${userId}
    ) oldest
    where t.user_id = ${userId} and t.last_seq < oldest.seq and t.last_outside < oldest.outside
    limit ${atOnce} for update of t skip locked`
  const { rowCount } = await db.execute(deleteAt(userId, sql`event_texts`, places))
  return rowCount ?? 0
}
