import { parseText } from '../text.ts'
import type { ParsedTranscript } from '../transcript.ts'
import { readBold } from './bold.ts'
import { readHeaders } from './headers.ts'
import { plainMarkdown } from './markdown.ts'
import { readMeet } from './meet.ts'

/** Reads text in the layout of a known tool, else as the general reader does. */
export function readText(content: string): ParsedTranscript {
  const lines = content.split(/\r\n|\r|\n/)
  return readMeet(lines) ?? readBold(lines) ?? readHeaders(lines) ?? parseText(content)
}

export function readMarkdown(content: string): ParsedTranscript {
  const lines = content.split(/\r\n|\r|\n/)
  const plain = lines.map(plainMarkdown)
  return readMeet(lines) ?? readBold(lines) ?? readHeaders(plain) ?? parseText(plain.join('\n'))
}
