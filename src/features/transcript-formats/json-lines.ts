import { isRecord, type JsonRecord } from './json/fields.ts'
import { findTurns } from './json/find-turns.ts'
import { parseLenient } from './json/read-json.ts'

const NEWLINE = /\r\n|\r|\n/

/** Parses a text that has a JSON object on each line, as Vosk and stream recorders write it. Returns null for other texts. */
export function parseJsonLines(text: string): JsonRecord[] | null {
  const records: JsonRecord[] = []
  for (const line of text.split(NEWLINE)) {
    if (line.trim() === '') continue
    const record = parseRecord(line)
    if (record === null) return null
    records.push(record)
  }
  return records
}

/** Returns whether a line is a turn of a conversation: it has a text, and neither segments nor media as an import document does. */
export function isTurnLine(line: string) {
  const record = parseRecord(line)
  return record !== null && !('segments' in record) && !('media' in record) && findTurns([record, record]) !== null
}

function parseRecord(line: string): JsonRecord | null {
  try {
    const value = parseLenient(line)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
