import { parseSrt } from './captions.ts'
import type { ParsedTranscript } from './transcript.ts'

const TIMES = /^\s*(\d{1,3}:\d{2}:\d{2}\.\d{1,3}),(\d{1,3}:\d{2}:\d{2}\.\d{1,3})\s*$/
const BREAK = /\[br\]/gi

/** Returns whether a line has the times of a cue of YouTube's own format. */
export function isSbvTiming(line: string) {
  return line.length < 60 && TIMES.test(line)
}

/** YouTube's own format is SubRip without numbers, and with a comma between the times. */
export function parseSbv(content: string): ParsedTranscript {
  const lines = content.split(/\r\n|\r|\n/)
  return parseSrt(
    lines.map(line => (isSbvTiming(line) ? line.replace(TIMES, '$1 --> $2') : line.replace(BREAK, ' '))).join('\n')
  )
}
