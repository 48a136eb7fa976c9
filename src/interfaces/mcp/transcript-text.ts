import { LIMITS } from '../../contract/limits.ts'
import { quoteSharedTranscript } from '../../features/sharing/recipient-operations.ts'
import { quoteTranscript } from '../../features/transcripts/operations.ts'
import { invalid } from '../../platform/core/api-error.ts'
import type { Quoting, TranscriptPart } from '../../platform/ports/transcript-writer.ts'
import { type Block, placeOf, type ShownPart, shownTime } from './answer-text.ts'
import { type Place, placeUrl } from './arguments.ts'
import type { Call } from './tool.ts'

type Wanted = Pick<Quoting, 'range' | 'around' | 'indexed'> & { cursor?: string | undefined }

interface ReadPart extends TranscriptPart {
  /** That of a transcript of the user, which corrections name. */
  version?: number
}

/** Reads as much of a transcript from the cursor on as an answer has room for. */
export async function readPart(
  { services, actor }: Call,
  { id, owner }: Place,
  { cursor, ...wanted }: Wanted
): Promise<ReadPart> {
  const { first, from } = placeOf(cursor)
  const quoting = { ...wanted, first, characters: LIMITS.agents.answer + from }
  if (owner === undefined) return await quoteTranscript(services, actor, id, quoting)
  if (wanted.indexed)
    throw invalid({ field: 'indexes', problem: 'others share the conversation, so it can only be read' })
  return await quoteSharedTranscript(services, actor, owner, id, quoting)
}

/** How the lines of a transcript are to be read and cited. */
export function transcriptHead(publicUrl: string, { id, owner }: Place, { hasTimes, startsAt }: TranscriptPart) {
  const link = (second?: number) => placeUrl(publicUrl, { id, owner, second })
  return hasTimes
    ? `Transcript. Each line has its time and second; cite it with a link such as ${link(startsAt)}`
    : `Transcript. It has no times; cite it with the link ${link()}`
}

/** A line of a transcript as a block, whose words begin after its time and speaker. */
interface SpokenBlock extends Block {
  start?: number | undefined
  speaker?: string | undefined
  index?: number
  wordsAt?: number
}

/** The lines of a transcript, each of which is a block. */
export function spokenBlocks({ lines, count }: TranscriptPart): SpokenBlock[] {
  if (count === 0) return [{ text: 'There is no transcript.' }]
  return lines.map(({ speaker, start, index, text }) => {
    if (start === undefined && index === undefined) return { text, quoted: true, wordsAt: 0 }
    const place = [
      ...(index === undefined ? [] : [`index ${index}`]),
      ...(start === undefined ? [] : [`${shownTime(start)} #t=${Math.floor(start)}`])
    ]
    const head = `[${place.join(', ')}] ${speaker}: `
    const spoken = { text: `${head}${text}`, quoted: true, start, speaker, wordsAt: head.length }
    return index === undefined ? spoken : { ...spoken, index }
  })
}

/** The lines that an answer shows, as objects. A line of which it shows a part has no index, because a correction is about all of it. */
export function toSegments(parts: readonly ShownPart<SpokenBlock>[]) {
  return parts.flatMap(({ block, begin, text }) => {
    const { start, speaker, index, wordsAt } = block
    if (wordsAt === undefined) return []
    const words = text.slice(Math.max(0, wordsAt - begin))
    const isWhole = text.length === block.text.length
    return [
      {
        ...(index !== undefined && isWhole && { index }),
        ...(start !== undefined && { start }),
        ...(speaker !== undefined && { speaker }),
        text: words
      }
    ]
  })
}
