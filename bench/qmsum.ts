import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LibraryDocument, toSegments } from './sets/query-set.ts'

interface Source {
  meeting_transcripts: { speaker: string; content: string }[]
  specific_query_list: { query: string; answer: string; relevant_text_span: [string, string][] }[]
  general_query_list: { query: string; answer: string }[]
}

export interface Meeting {
  document: LibraryDocument
  /** The part of the data that contains the meeting: train or val. */
  part: string
  questions: Question[]
}

export interface Question {
  question: string
  summary: string
  /** The spans that answer it, in seconds; none for a question about the whole meeting. */
  spans: { from: number; to: number }[]
}

const FIRST_DAY = Date.UTC(2026, 0, 5, 9)
const DAY_MS = 86_400_000

/** Reads the meetings of the folder's .jsonl files with their questions. The data have no times; `toSegments` adds them. */
export function readMeetings(folder: string): Meeting[] {
  const files = readdirSync(folder)
    .filter(name => name.endsWith('.jsonl'))
    .sort()
  if (files.length === 0) throw new Error(`There are no .jsonl files of QMSum in ${folder}`)
  const meetings = files.flatMap(file => {
    const part = file.replace(/\.jsonl$/, '')
    const lines = readFileSync(join(folder, file), 'utf8').split('\n')
    return lines
      .filter(line => line.trim() !== '')
      .map((line, n) => ({ part, name: `${part}-${n}`, source: JSON.parse(line) as Source }))
  })
  return meetings.map(({ part, name, source }, n) => {
    const document = documentOf(source, name, FIRST_DAY + n * DAY_MS)
    return { document, part, questions: questionsOf(source, document) }
  })
}

/** Writes every meeting as an import document, one per line. Returns their number. */
export function convertMeetings(folder: string, target: string) {
  const meetings = readMeetings(folder)
  writeFileSync(target, meetings.map(({ document }) => `${JSON.stringify(document)}\n`).join(''))
  return meetings.length
}

function documentOf({ meeting_transcripts: turns }: Source, name: string, at: number) {
  const segments = toSegments(turns.map(({ speaker, content }) => ({ speaker, text: content })))
  return {
    external_id: `qmsum-${name}`,
    title: `Meeting ${name}`,
    timestamp: new Date(at).toISOString(),
    type: 'meeting',
    duration_seconds: segments.at(-1)?.end ?? 0,
    segments
  }
}

function questionsOf(
  { specific_query_list: specific, general_query_list: general }: Source,
  { segments }: LibraryDocument
): Question[] {
  return [
    ...specific.map(({ query, answer, relevant_text_span: spans }) => ({
      question: query,
      summary: answer,
      spans: spans.map(([from, to]) => ({
        from: segments[Number(from)]?.start ?? 0,
        to: segments[Number(to)]?.end ?? 0
      }))
    })),
    ...general.map(({ query, answer }) => ({ question: query, summary: answer, spans: [] }))
  ]
}
