import { z } from 'zod'
import { TranscriptRange } from '../../../contract/transcript.ts'
import { blockCursor, pageBlocks, placeOf, sessionUrl } from '../answer-text.ts'
import { conversation } from '../arguments.ts'
import { nextPage, toNextPage } from '../next-page.ts'
import { defineTool } from '../tool.ts'
import { readPart, spokenBlocks, toSegments, transcriptHead } from '../transcript-text.ts'

export const getTranscriptTool = defineTool({
  name: 'get_transcript',
  title: 'Read a transcript',
  description:
    'Reads what was said, with speakers and times: all of it, from the second of the id, or from start to end in seconds.',
  operation: 'getTranscript',
  input: TranscriptRange.safeExtend({ id: conversation, cursor: blockCursor }),
  output: z.object({
    id: z.string(),
    url: z.string(),
    segments: z.array(z.object({ start: z.number().optional(), speaker: z.string().optional(), text: z.string() })),
    ...nextPage
  }),
  async answer(call, { id: { id, second }, cursor, ...sent }) {
    const isWhole = sent.start === undefined && sent.end === undefined
    const range = isWhole && second !== undefined ? { start: second } : sent
    const part = await readPart(call, id, { range, cursor })
    const head = [transcriptHead(call.services.publicUrl, id, part)]
    const blocks = spokenBlocks(part)
    const before = part.count > 0 ? placeOf(cursor).first : 0
    const paged = { head, blocks, before, count: part.count, cursor, tool: 'get_transcript' }
    const { text, parts, next } = pageBlocks(paged)
    const url = sessionUrl(call.services.publicUrl, id)
    return { text, object: { id, url, segments: toSegments(parts), ...toNextPage(next) } }
  }
})
