import { z } from 'zod'
import { flag } from '../../../contract/common.ts'
import { TranscriptRange } from '../../../contract/transcript.ts'
import { blockCursor, pageBlocks, placeOf } from '../answer-text.ts'
import { conversation, placeId, placeUrl } from '../arguments.ts'
import { nextPage, toNextPage } from '../next-page.ts'
import { defineTool, READABLE_IDS } from '../tool.ts'
import { readPart, spokenBlocks, toSegments, transcriptHead } from '../transcript-text.ts'

const { start, end } = TranscriptRange.shape

export const getTranscriptTool = defineTool({
  name: 'get_transcript',
  title: 'Read a transcript',
  description:
    'Reads what was said, with speakers and times: all of it, from the second of the id, or from start to end in seconds.',
  operation: 'getTranscript',
  steps: { subject: READABLE_IDS },
  input: TranscriptRange.safeExtend({
    start: start.meta({ description: '' }),
    end: end.meta({ description: '' }),
    id: conversation,
    indexes: flag.default(false).meta({ description: 'Shows segments with their index, for correct_transcript.' }),
    cursor: blockCursor
  }),
  output: z.object({
    id: z.string(),
    url: z.string(),
    if_version: z.number().optional(),
    segments: z.array(
      z.object({
        index: z.number().optional(),
        start: z.number().optional(),
        speaker: z.string().optional(),
        text: z.string()
      })
    ),
    ...nextPage
  }),
  async answer(call, { id: { second, ...place }, indexes: indexed, cursor, ...sent }) {
    const { publicUrl } = call.services
    const isWhole = sent.start === undefined && sent.end === undefined
    const range = isWhole && second !== undefined ? { start: second } : sent
    const part = await readPart(call, place, { range, indexed, cursor })
    const version = indexed ? part.version : undefined
    const head = [
      transcriptHead(publicUrl, place, part),
      ...(version === undefined ? [] : [`The transcript is at if_version ${version}.`])
    ]
    const blocks = spokenBlocks(part)
    const before = part.count > 0 ? placeOf(cursor).first : 0
    const paged = { head, blocks, before, count: part.count, cursor, tool: 'get_transcript' }
    const { text, parts, next } = pageBlocks(paged)
    const about = { id: placeId(place), url: placeUrl(publicUrl, place) }
    const read = { ...(version !== undefined && { if_version: version }), segments: toSegments(parts) }
    return { text, object: { ...about, ...read, ...toNextPage(next) } }
  }
})
