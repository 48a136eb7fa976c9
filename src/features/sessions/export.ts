import type { BulkExportSession } from '../../contract/bulk.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { flatText } from '../../platform/text/segment.ts'
import { listExported } from '../library/queries.ts'

interface ExportParts {
  summary: boolean
  transcript: boolean
}

/** The sessions read at a time: fifty long transcripts would need too much memory, and single reads take twice as long. */
const AT_ONCE = 5

/** Writes a bulk export as text in pieces, in the order of the ids. */
export async function* exportPieces(db: Queryable, userId: string, ids: string[], wanted: ExportParts) {
  const missing: string[] = []
  const left = [...new Set(ids)]
  let separator = '{"sessions":['
  while (left.length > 0) {
    const turn = left.splice(0, AT_ONCE)
    const rows = await listExported(db, userId, turn, wanted.transcript)
    const found = new Map(rows.map(row => [row.session.id, row]))
    for (const id of turn) {
      const row = found.get(id)
      if (row) {
        yield separator + JSON.stringify(exported(row, wanted))
        separator = ','
      } else missing.push(id)
    }
  }
  const opening = separator === ',' ? '' : separator
  yield `${opening}],"errors":${JSON.stringify(missing.map(id => ({ id, error: 'not_found' })))}}`
}

function exported(
  { session, phone, summary, segments }: Awaited<ReturnType<typeof listExported>>[number],
  wanted: ExportParts
): BulkExportSession {
  return {
    ...session,
    ...(wanted.summary && { summary }),
    ...(wanted.transcript && { transcript: segments.length > 0 ? flatText(segments) : null }),
    ...(phone && { phone })
  }
}
