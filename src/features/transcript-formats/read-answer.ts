import type { ReadAnswer } from '../../platform/ports/answer-reader.ts'
import { readToolJson } from './json/read-json.ts'
import { readImportDocument } from './read-document.ts'

/**
 * Reads the answer of a transcription server. Nobody can send it in another form, so it is taken without its speakers or times if these
 * cannot be read.
 */
export function readAnswer(answer: unknown): ReadAnswer {
  const found = readToolJson(answer, { refusesUnread: false })
  if ('transcript' in found) return found.transcript
  const {
    segments = [],
    language = null,
    duration_seconds: durationSeconds = null
  } = readImportDocument(found.document)
  return { segments, language: language ?? null, durationSeconds }
}
