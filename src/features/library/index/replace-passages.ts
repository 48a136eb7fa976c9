import { sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { Passage } from '../../../platform/ports/corrected-transcript.ts'

interface Moved extends Record<string, unknown> {
  model: string
  /** The passage that has the text of the embedding now. */
  ordinal: number
  dimension: number
  vector: string | null
}

/**
 * Writes those passages of a session that have changed. An embedding moves with the text of its passage, and one whose text is gone is deleted.
 * Returns whether every passage still has its embedding. Call it with the session's row locked.
 */
export async function replacePassages(tx: Db, userId: string, sessionId: string, cut: readonly Passage[]) {
  const before = await listTexts(tx, userId, sessionId)
  const ordinalOf = new Map(before.map((text, ordinal): [string, number] => [text, ordinal]).reverse())
  const changed = cut.map((_, ordinal) => ordinal).filter(ordinal => cut[ordinal]?.text !== before[ordinal])
  const moves = changed.flatMap(to => {
    const from = ordinalOf.get(cut[to]?.text ?? '')
    return from === undefined ? [] : [{ from, to }]
  })
  const moved = moves.length > 0 ? await findEmbeddings(tx, userId, sessionId, moves) : []
  await deleteChanged(tx, userId, sessionId, changed, cut.length)
  await writePassages(tx, userId, sessionId, cut)
  if (moved.length > 0) await insertEmbeddings(tx, userId, sessionId, moved)
  return moves.length === changed.length
}

async function listTexts(tx: Db, userId: string, sessionId: string) {
  const { rows } = await tx.execute<{ text: string }>(sql`
    select text from passages where user_id = ${userId} and session_id = ${sessionId} order by ordinal`)
  return rows.map(({ text }) => text)
}

/** Reads vectors as text, which is exact. */
async function findEmbeddings(tx: Db, userId: string, sessionId: string, moves: { from: number; to: number }[]) {
  const { rows } = await tx.execute<Moved>(sql`
    select e.model, m.to_ordinal as ordinal, e.dimension, e.vector::text as vector
    from unnest(${sql.param(moves.map(({ from }) => from))}::int[], ${sql.param(moves.map(({ to }) => to))}::int[]) as m(ordinal, to_ordinal)
    join embeddings e on e.user_id = ${userId} and e.session_id = ${sessionId} and e.ordinal = m.ordinal`)
  return rows
}

/** Deletes the embeddings of changed passages, and the passages after the last one. */
async function deleteChanged(tx: Db, userId: string, sessionId: string, changed: number[], length: number) {
  await tx.execute(sql`
    delete from embeddings where user_id = ${userId} and session_id = ${sessionId} and (ordinal = any(${sql.param(changed)}::int[]) or ordinal >= ${length}::int)`)
  await tx.execute(sql`
    delete from passages where user_id = ${userId} and session_id = ${sessionId} and ordinal >= ${length}::int`)
}

/** Writes the passages of which anything differs, such as the places of their lines. */
async function writePassages(tx: Db, userId: string, sessionId: string, cut: readonly Passage[]) {
  const rows = cut.map(({ firstSegment, lastSegment, startsAt, endsAt, text }, ordinal) => {
    return {
      ordinal,
      first_segment: firstSegment,
      last_segment: lastSegment,
      starts_at: startsAt,
      ends_at: endsAt,
      text
    }
  })
  await tx.execute(sql`
    insert into passages (user_id, session_id, ordinal, first_segment, last_segment, starts_at, ends_at, text)
    select ${userId}, ${sessionId}, n.ordinal, n.first_segment, n.last_segment, n.starts_at, n.ends_at, n.text
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as n(ordinal int, first_segment int, last_segment int, starts_at float8, ends_at float8, text text)
    left join passages p on p.user_id = ${userId} and p.session_id = ${sessionId} and p.ordinal = n.ordinal
    where (p.first_segment, p.last_segment, p.starts_at, p.ends_at, p.text) is distinct from
      (n.first_segment, n.last_segment, n.starts_at, n.ends_at, n.text)
    on conflict (user_id, session_id, ordinal) do update set first_segment = excluded.first_segment, last_segment = excluded.last_segment,
      starts_at = excluded.starts_at, ends_at = excluded.ends_at, text = excluded.text`)
}

async function insertEmbeddings(tx: Db, userId: string, sessionId: string, moved: readonly Moved[]) {
  await tx.execute(sql`
    insert into embeddings (user_id, model, session_id, ordinal, dimension, vector)
    select ${userId}, n.model, ${sessionId}, n.ordinal, n.dimension, n.vector::halfvec
    from jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) as n(model text, ordinal int, dimension int, vector text)`)
}
