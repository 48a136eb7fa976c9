import { TranscriptRange } from '../../../contract/transcript.ts'
import { getTranscript } from '../../../features/transcripts/operations.ts'
import { blockCursor, pageBlocks } from '../answer-text.ts'
import { conversation } from '../arguments.ts'
import { defineTool } from '../tool.ts'
import { spokenBlocks, transcriptHead } from '../transcript-text.ts'

export const getTranscriptTool = defineTool({
  name: 'get_transcript',
  title: 'Read a transcript',
  description:
    'Reads what was said in a conversation, with speakers and times: all of it, from the second of its id, or from start to end in seconds. A long transcript comes in parts.',
  operation: 'getTranscript',
  input: TranscriptRange.safeExtend({ id: conversation, cursor: blockCursor }),
  async answer({ services, actor }, { id: { id, second }, cursor, ...part }) {
    const isWhole = part.start === undefined && part.end === undefined
    const range = isWhole && second !== undefined ? { start: second } : part
    const transcript = await getTranscript(services, actor, id, range)
    const head = [transcriptHead(services.publicUrl, transcript)]
    return pageBlocks({ head, blocks: spokenBlocks(transcript), cursor, tool: 'get_transcript' })
  }
})
