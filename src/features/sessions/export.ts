import type { BulkExportSession } from '../../contract/bulk.ts'
import { type PackedText, unpackText } from '../../platform/work/packed-text.ts'
import { listExported } from '../library/queries.ts'
import type { Services } from '../services.ts'
import { storedSegments } from '../transcripts/queries.ts'

interface ExportParts {
  summary: boolean
  transcript: boolean
}

/** The sessions read at a time without their transcripts, because single reads take twice as long, and summaries may be long as well. */
const AT_ONCE = 5

type Pieces = AsyncGenerator<string | Uint8Array>

/** Writes a bulk export as text in pieces, in the order of the ids. Each transcript is read when the one before it was sent. */
export async function* exportPieces(
  { slow, writer }: Pick<Services, 'slow' | 'writer'>,
  userId: string,
  ids: string[],
  wanted: ExportParts
): Pieces {
  const missing: string[] = []
  const left = [...new Set(ids)]
  let separator = '{"sessions":['
  while (left.length > 0) {
    const turn = left.splice(0, AT_ONCE)
    const found = new Map((await listExported(slow, userId, turn)).map(row => [row.session.id, row]))
    for (const id of turn) {
      const row = found.get(id)
      if (row) {
        // Before the first piece, an error is still answered as one.
        const transcript = wanted.transcript
          ? await writer.flatten(storedSegments(slow, userId, id), userId)
          : undefined
        yield* sessionPieces(separator, row, { summary: wanted.summary, transcript })
        separator = ','
      } else missing.push(id)
    }
  }
  const opening = separator === ',' ? '' : separator
  yield `${opening}],"errors":${JSON.stringify(missing.map(id => ({ id, error: 'not_found' })))}}`
}

type Exported = Awaited<ReturnType<typeof listExported>>[number]

async function* sessionPieces(
  separator: string,
  { session, phone, summary }: Exported,
  parts: { summary: boolean; transcript: PackedText | undefined }
): Pieces {
  const begin: Omit<BulkExportSession, 'transcript'> = { ...session, ...(parts.summary && { summary }) }
  yield separator + JSON.stringify(begin).slice(0, -1)
  if (parts.transcript !== undefined) {
    yield ',"transcript":'
    yield* unpackText(parts.transcript)
  }
  yield phone ? `,"phone":${JSON.stringify(phone)}}` : '}'
}
