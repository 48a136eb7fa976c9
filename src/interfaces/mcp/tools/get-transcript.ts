import { sessionId } from '../../../contract/common.ts'
import { TranscriptRange } from '../../../contract/transcript.ts'
import { getTranscript } from '../../../features/transcripts/operations.ts'
import { blockCursor, pageBlocks } from '../answer-text.ts'
import { defineTool } from '../tool.ts'
import { spokenBlocks, transcriptHead } from '../transcript-text.ts'

export const getTranscriptTool = defineTool({
  name: 'get_transcript',
  title: 'Read a transcript',
  description:
    'Reads what was said in a conversation, with speakers and times: all of it, or from start to end in seconds. A long transcript comes in parts.',
  operation: 'getTranscript',
  asQuery: true,
  input: TranscriptRange.safeExtend({ id: sessionId, cursor: blockCursor }),
  async answer({ services, actor }, { id, cursor, ...range }) {
    const transcript = await getTranscript(services, actor, id, range)
    const head = [transcriptHead(services.publicUrl, transcript)]
    return pageBlocks({ head, blocks: spokenBlocks(transcript), cursor, tool: 'get_transcript' })
  }
})
