import { readCues, transcriptOf } from './cues.ts'
import type { ParsedTranscript } from './transcript.ts'

const COMMENT = /^(?:NOTE(?:\s|$)|STYLE\s*$|REGION\s*$)/
const LANGUAGE = /^Language:[ \t]*([a-z]{2,3}(?:-[a-z\d]{1,8}){0,3})[ \t]*$/i

export function parseVtt(content: string): ParsedTranscript {
  const lines = content.split(/\r\n|\r|\n/)
  return transcriptOf(readCues(withoutComments(lines), { blankEnds: true }), languageIn(lines))
}

/** The lines with those of comments, styles and regions emptied, so that the numbers of the others stay. */
function withoutComments(lines: string[]) {
  let inside = false
  return lines.map((line, index) => {
    if (line.trim() === '') inside = false
    else if (COMMENT.test(line) && (lines[index - 1] ?? '').trim() === '') inside = true
    return inside ? '' : line
  })
}

/** The header may name the language, as the captions of YouTube do. */
function languageIn(lines: string[]) {
  const end = lines.findIndex(line => line.trim() === '')
  const header = lines.slice(0, end === -1 ? 0 : end)
  for (const line of header) {
    const [, language] = LANGUAGE.exec(line) ?? []
    if (language !== undefined) return language
  }
  return null
}
