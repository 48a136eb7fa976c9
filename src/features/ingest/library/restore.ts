import { toDate } from '../../../contract/instant.ts'
import type { KeptState, Restored } from '../../../contract/kept-state.ts'
import { or, sql } from '../../../platform/db/drizzle.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/open.ts'
import { sessions, transcripts } from '../../../platform/db/schema/index.ts'
import { type Taking, takeRoom } from '../../access/room.ts'
import { saveSummary } from '../../library/summaries.ts'

/** Finds the session that an archive has, imported before or still where it was made. */
export async function findRestored(
  db: Db,
  userId: string,
  { id: sessionId, external_id: externalId }: Pick<KeptState, 'id' | 'external_id'>
) {
  const [row] = await db
    .select({ sessionId: sessions.sessionId })
    .from(sessions)
    .where(
      or(
        matches(sessions, { userId, sessionId }),
        matches(sessions, { userId, externalId: sessionId }),
        externalId === null ? undefined : matches(sessions, { userId, externalId })
      )
    )
    .limit(1)
  return row
}

/** The fields of a session that its document has no place for. */
export function restoredFields(state: KeptState) {
  return {
    restored: true,
    keep: state.keep,
    warnings: state.warnings,
    audioDeletedAt: toInstant(state.audio_deleted_at),
    ...(state.action_items && {
      actionItems: state.action_items,
      actionItemsVersion: Math.max(state.action_items_version, 1),
      actionItemsUpdatedAt: toInstant(state.action_items_updated_at)
    })
  }
}

/** Writes the rest of a session whose row and transcript are inserted. */
export async function insertRest(
  tx: Db,
  userId: string,
  sessionId: string,
  { state, original }: Restored,
  taking: Taking
) {
  if (state.speakers || original)
    await tx
      .update(transcripts)
      .set({
        ...(state.speakers && { speakers: state.speakers }),
        ...(original && {
          original: sql`${original.json}::jsonb`,
          bytes: sql`${transcripts.bytes} + ${original.bytes}`
        })
      })
      .where(matches(transcripts, { userId, sessionId }))
  takeRoom(tx, userId, 'bytes_stored', original?.bytes ?? 0, taking)
  const { summary_made: made } = state
  if (!made) return
  await saveSummary(tx, userId, sessionId, {
    outline: made.outline,
    itemSources: made.item_sources,
    unsupportedItems: made.unsupported_items ?? null,
    template: made.template
      ? {
          id: made.template.id,
          name: made.template.name,
          leftOut: made.template.left_out,
          untranslated: made.template.untranslated
        }
      : null,
    title: made.title,
    model: made.model,
    promptVersion: made.prompt_version,
    inputTokens: made.input_tokens,
    outputTokens: made.output_tokens,
    madeAt: toDate(made.made_at)
  })
}

function toInstant(text: string | null) {
  return text === null ? null : toDate(text)
}
