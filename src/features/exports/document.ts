import type { SessionRow } from '../library/session-row.ts'
import type { ExportedRow } from './queries.ts'

/** The name of a recording in the folder of its session, by kind. */
export type RecordingNames = Partial<Record<'audio' | 'video', string>>

interface Wanted {
  /** False for an export without transcripts. */
  transcript: boolean
  recordings: RecordingNames
}

/**
 * The session as an import document, in JSON. The segments are put in as the database has them: a transcript of ten hours would take a second to
 * read and write again.
 */
export function documentJson({ session, folders, segments, speakers }: ExportedRow, wanted: Wanted) {
  const { actionItems, phone } = session
  const media = { audio: session.audioUrl ?? undefined, video: session.videoUrl ?? undefined, ...wanted.recordings }
  const document = {
    external_id: session.sessionId,
    title: session.title,
    timestamp: session.timestamp?.toISOString() ?? null,
    type: session.type,
    platform: session.platform,
    language: session.language,
    duration_seconds: session.durationSeconds,
    summary: session.summary,
    notes: session.notes,
    tags: session.tags,
    favorite: session.favorite,
    folders,
    ...(phone && { phone: { ...phone, ongoing: false } }),
    ...(actionItems && {
      action_items: actionItems.map(({ text, assignee, due_date, completed, source_start }) => ({
        text,
        assignee: assignee ?? null,
        due_date: due_date ?? null,
        completed,
        source_start: source_start ?? null
      }))
    }),
    ...(wanted.transcript && {
      // The segments have the names of known people already.
      speakers: (speakers ?? []).map(({ label, person, isMe, matchedBy }) => ({
        label: person ?? label,
        person,
        is_me: isMe,
        ...(matchedBy && { matched_by: matchedBy })
      }))
    }),
    ...(Object.values(media).some(place => place !== undefined) && { media })
  }
  return wanted.transcript && segments !== null ? withJson(document, { segments }) : JSON.stringify(document)
}

/** Writes an object as JSON, with fields that are JSON already. */
export function withJson(value: object, json: Record<string, string>) {
  const fields = Object.entries(json).map(([key, text]) => `${JSON.stringify(key)}:${text}`)
  const begun = JSON.stringify(value)
  return `${begun.slice(0, -1)}${begun === '{}' ? '' : ','}${fields.join(',')}}`
}

/** The rest of a session, which an import document has no place for, in JSON: a server takes it back from its own archives. */
export function stateJson({ session, speakers, summary }: ExportedRow, wanted: Pick<Wanted, 'transcript'>) {
  return JSON.stringify({
    id: session.sessionId,
    external_id: session.externalId,
    status: session.state,
    created_at: session.createdAt.toISOString(),
    updated_at: session.updatedAt.toISOString(),
    keep: session.keep,
    warnings: session.warnings,
    audio_deleted_at: session.audioDeletedAt?.toISOString() ?? null,
    action_items: session.actionItems,
    action_items_version: session.actionItemsVersion,
    action_items_updated_at: session.actionItemsUpdatedAt?.toISOString() ?? null,
    summary_made: summary && {
      outline: summary.outline,
      item_sources: summary.itemSources,
      unsupported_items: summary.unsupportedItems,
      template: summary.template && {
        id: summary.template.id,
        name: summary.template.name,
        left_out: summary.template.leftOut,
        untranslated: summary.template.untranslated
      },
      title: summary.title,
      model: summary.model,
      prompt_version: summary.promptVersion,
      input_tokens: summary.inputTokens,
      output_tokens: summary.outputTokens,
      made_at: summary.madeAt.toISOString()
    },
    ...(wanted.transcript && { speakers: speakers ?? [] })
  })
}

/** The segments as they were before their texts were first corrected, as an import document. */
export function originalJson({ sessionId, title }: SessionRow, segments: string) {
  return withJson({ external_id: sessionId, title }, { segments })
}
