import { TranscriptRange } from '../../../contract/transcript.ts'
import { blockCursor, pageBlocks, placeOf } from '../answer-text.ts'
import { conversation } from '../arguments.ts'
import { defineTool } from '../tool.ts'
import { readPart, spokenBlocks, transcriptHead } from '../transcript-text.ts'

export const getTranscriptTool = defineTool({
  name: 'get_transcript',
  title: 'Read a transcript',
  description:
    'Reads what was said in a conversation, with speakers and times: all of it, from the second of its id, or from start to end in seconds. A long transcript comes in parts.',
  operation: 'getTranscript',
  input: TranscriptRange.safeExtend({ id: conversation, cursor: blockCursor }),
  async answer(call, { id: { id, second }, cursor, ...sent }) {
    const isWhole = sent.start === undefined && sent.end === undefined
    const range = isWhole && second !== undefined ? { start: second } : sent
    const part = await readPart(call, id, { range, cursor })
    const head = [transcriptHead(call.services.publicUrl, id, part)]
    const blocks = spokenBlocks(part)
    const before = part.count > 0 ? placeOf(cursor).first : 0
    return pageBlocks({ head, blocks, before, count: part.count, cursor, tool: 'get_transcript' })
  }
})
