import { parseDocument } from '../../src/features/transcript-formats/parse.ts'

/** What the server takes from a file with speech: its segments, language and length, and the start if the file names one. */
export function parseTranscript(fileName: string, content: string) {
  const { document, startedAt } = parseDocument(fileName, content)
  const { segments = [], language = null, duration_seconds: durationSeconds = null } = document
  return { segments, language, durationSeconds, ...(startedAt && { startedAt }) }
}

/** The turns of a file as lines of "start–end Speaker | text", with the language and the length in a first line where the file has them. */
export function linesOf(fileName: string, content: string) {
  const { segments, language, durationSeconds } = parseTranscript(fileName, content)
  const about = [language, durationSeconds].filter(value => value !== null).join(' ')
  const times = (start: number | null, end: number | null) => (start === null ? '' : `${start}–${end} `)
  return [about, ...segments.map(({ speaker, start, end, text }) => `${times(start, end)}${speaker} | ${text}`)]
}
