import { LIMITS } from '../../contract/limits.ts'
import { quoteTranscript } from '../../features/transcripts/operations.ts'
import type { Quoting, TranscriptPart } from '../../platform/ports/transcript-writer.ts'
import { type Block, placeOf, type ShownPart, sessionUrl, shownTime } from './answer-text.ts'
import type { Call } from './tool.ts'

type Wanted = Pick<Quoting, 'range' | 'around'> & { cursor?: string | undefined }

/** Reads as much of a transcript from the cursor on as an answer has room for. */
export async function readPart({ services, actor }: Call, sessionId: string, { cursor, ...wanted }: Wanted) {
  const { first, from } = placeOf(cursor)
  return await quoteTranscript(services, actor, sessionId, {
    ...wanted,
    first,
    characters: LIMITS.agents.answer + from
  })
}

/** How the lines of a transcript are to be read and cited. */
export function transcriptHead(publicUrl: string, id: string, { hasTimes, startsAt }: TranscriptPart) {
  const link = sessionUrl(publicUrl, id)
  return hasTimes
    ? `Transcript. Each line has its time and second; cite it with a link such as ${link}#t=${Math.floor(startsAt)}`
    : `Transcript. It has no times; cite it with the link ${link}`
}

/** A line of a transcript as a block, whose words begin after its time and speaker. */
interface SpokenBlock extends Block {
  start?: number
  speaker?: string | undefined
  wordsAt?: number
}

/** The lines of a transcript, each of which is a block. */
export function spokenBlocks({ lines, count }: TranscriptPart): SpokenBlock[] {
  if (count === 0) return [{ text: 'There is no transcript.' }]
  return lines.map(({ speaker, start, text }) => {
    if (start === undefined) return { text, quoted: true, wordsAt: 0 }
    const head = `[${shownTime(start)} #t=${Math.floor(start)}] ${speaker}: `
    return { text: `${head}${text}`, quoted: true, start, speaker, wordsAt: head.length }
  })
}

/** The lines that an answer shows, as objects. */
export function toSegments(parts: readonly ShownPart<SpokenBlock>[]) {
  return parts.flatMap(({ block: { start, speaker, wordsAt }, begin, text }) => {
    if (wordsAt === undefined) return []
    const words = text.slice(Math.max(0, wordsAt - begin))
    return [{ ...(start !== undefined && { start }), ...(speaker !== undefined && { speaker }), text: words }]
  })
}
