import type { BulkExportSession } from '../contract/bulk.ts'
import { flatText, type Segment } from '../core/segment.ts'
import type { Reader } from '../db/open.ts'
import { findSegments, findSession } from './queries.ts'

interface Wanted {
  summary: boolean
  transcript: boolean
}

/**
 * The body of a bulk export in pieces, in the order of the ids. One session is in memory at a time: fifty transcripts of
 * hours would not be small.
 */
export async function* exportSessions(db: Reader, userId: string, ids: string[], wanted: Wanted) {
  const missing: string[] = []
  let separator = '{"sessions":['
  for (const id of new Set(ids)) {
    const session = await exportSession(db, userId, id, wanted)
    if (session) {
      yield separator + JSON.stringify(session)
      separator = ','
    } else missing.push(id)
  }
  const opening = separator === ',' ? '' : separator
  yield `${opening}],"errors":${JSON.stringify(missing.map(id => ({ id, error: 'not_found' })))}}`
}

async function exportSession(db: Reader, userId: string, sessionId: string, wanted: Wanted): Promise<BulkExportSession | undefined> {
  const found = await findSession(db, userId, sessionId)
  if (!found) return undefined
  const segments = wanted.transcript ? await findSegments(db, userId, sessionId) : undefined
  const { id, title, timestamp, duration_seconds, type, platform, language, summary, phone } = found
  return {
    ...{ id, title, timestamp, duration_seconds, type, platform, language },
    ...(wanted.summary && { summary }),
    ...(wanted.transcript && { transcript: transcriptOf(segments) }),
    ...(phone && { phone })
  }
}

function transcriptOf(segments: Segment[] | undefined) {
  return segments && segments.length > 0 ? flatText(segments) : null
}
