import { parseDocument } from '../../src/ingest/parse/parse.ts'

/** What the server takes from a file with speech: its segments, language and length, and the start if the file names one. */
export function parseTranscript(fileName: string, content: string) {
  const { document, startedAt } = parseDocument(fileName, content)
  const { segments = [], language = null, duration_seconds: durationSeconds = null } = document
  return { segments, language, durationSeconds, ...(startedAt && { startedAt }) }
}
