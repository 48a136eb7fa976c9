import type { TranscriptResponse } from '../../contract/transcript.ts'
import { type Block, sessionUrl, shownTime } from './answer-text.ts'

/** How the lines of a transcript are to be read and cited. */
export function transcriptHead(publicUrl: string, { id, segments }: TranscriptResponse) {
  const link = sessionUrl(publicUrl, id)
  return segments
    ? `Transcript. Each line has its time and second; cite it with a link such as ${link}#t=${Math.floor(segments[0]?.start ?? 0)}`
    : `Transcript. It has no times; cite it with the link ${link}`
}

/** A transcript, a turn a block. */
export function spokenBlocks({ segments, transcript }: TranscriptResponse): (Block & { start?: number })[] {
  if (segments)
    return segments.map(({ speaker, start, text }) => ({
      text: `[${shownTime(start)} #t=${Math.floor(start)}] ${speaker}: ${text}`,
      quoted: true,
      start
    }))
  const lines = transcript.split('\n').filter(line => line !== '')
  return lines.length > 0 ? lines.map(text => ({ text, quoted: true })) : [{ text: 'There is no transcript.' }]
}
