import { uuidOf } from '../../platform/core/ids.ts'
import { withJson } from './document.ts'
import type { ExportedRow } from './queries.ts'

const VENDOR = 'Parlance'

/**
 * The session as a vCon in JSON, by draft-ietf-vcon-vcon-core-04. `spoken` is the transcript as a text of this media type; null for an export
 * without transcripts.
 */
export function vconJson(
  { session, people, segments, speakers }: ExportedRow,
  spoken: { type: string; text: string } | null
) {
  const start = (session.timestamp ?? session.createdAt).toISOString()
  const labels = (speakers ?? []).map(({ label, person }) => person ?? label)
  const names = [...new Set([...people, ...labels])]
  const parties = names.length > 0 ? names.map(name => ({ name })) : [{ name: 'Unknown' }]
  const dialog = {
    type: 'text',
    start,
    duration: session.durationSeconds,
    parties: parties.map((_, index) => index),
    ...(session.platform !== null && { application: session.platform }),
    ...(spoken && { mediatype: spoken.type, encoding: 'none', body: spoken.text })
  }
  const analysis = [
    ...(session.summary === null
      ? []
      : [JSON.stringify({ ...made('summary'), mediatype: 'text/markdown', encoding: 'none', body: session.summary })]),
    ...(session.actionItems === null
      ? []
      : [JSON.stringify({ ...made('action_items'), ...JSON_BODY, body: session.actionItems })]),
    ...(spoken && segments !== null ? [withJson({ ...made('transcript'), ...JSON_BODY }, { body: segments })] : [])
  ]
  const attachments = [
    ...(session.notes === null
      ? []
      : [{ ...attached('notes', start), mediatype: 'text/markdown', encoding: 'none', body: session.notes }]),
    ...(session.tags.length === 0 ? [] : [{ ...attached('tags', start), ...JSON_BODY, body: session.tags }])
  ]
  return withJson(
    {
      vcon: '0.4.0',
      uuid: uuidOf(session.sessionId),
      created_at: session.createdAt.toISOString(),
      updated_at: session.updatedAt.toISOString(),
      subject: session.title,
      parties,
      dialog: [dialog],
      attachments
    },
    { analysis: `[${analysis.join(',')}]` }
  )
}

const JSON_BODY = { mediatype: 'application/json', encoding: 'json' }

function made(type: string) {
  return { type, dialog: 0, vendor: VENDOR }
}

function attached(purpose: string, start: string) {
  return { purpose, start, party: 0, dialog: 0 }
}
