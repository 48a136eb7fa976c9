import { createReadStream, createWriteStream, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

interface Meeting {
  meeting_transcripts: { speaker: string; content: string }[]
  specific_query_list: { query: string; answer: string; relevant_text_span: [string, string][] }[]
  general_query_list: { query: string; answer: string }[]
}

/** A question about a meeting, and where it is answered. */
export interface Question {
  /** The external id of the meeting, and of which part of the data it is. */
  meeting: string
  part: string
  question: string
  summary: string
  /** Seconds from and to; none for a question about the whole meeting. */
  spans: { from: number; to: number }[]
}

/** The questions about the meetings of the folder, with the times that `convertMeetings` gives them. */
export function readQuestions(folder: string): Question[] {
  return filesOf(folder).flatMap(file => {
    const part = file.replace(/\.jsonl$/, '')
    const lines = readFileSync(join(folder, file), 'utf8').split('\n')
    const meetings = lines.filter(line => line.trim() !== '').map((line): Meeting => JSON.parse(line))
    return meetings.flatMap((meeting, line) => {
      const { external_id, segments } = documentOf(meeting, `${part}-${line}`, FIRST_DAY)
      const specific = meeting.specific_query_list.map(({ query, answer, relevant_text_span: spans }) => ({
        question: query,
        summary: answer,
        spans: spans.map(([from, to]) => ({ from: segments[Number(from)]?.start ?? 0, to: segments[Number(to)]?.end ?? 0 }))
      }))
      const general = meeting.general_query_list.map(({ query, answer }) => ({ question: query, summary: answer, spans: [] }))
      return [...specific, ...general].map(one => ({ meeting: external_id, part, ...one }))
    })
  })
}

function filesOf(folder: string) {
  const files = readdirSync(folder)
    .filter(name => name.endsWith('.jsonl'))
    .sort()
  if (files.length === 0) throw new Error(`There are no .jsonl files of QMSum in ${folder}`)
  return files
}

const WORDS_PER_SECOND = 2.5
const FIRST_DAY = Date.UTC(2026, 0, 5, 9)
const DAY_MS = 86_400_000

/** Writes every meeting of the folder's .jsonl files as an import document, one a line. Returns how many there are. */
export async function convertMeetings(folder: string, target: string) {
  const files = filesOf(folder)
  let meetings = 0

  async function* documents() {
    for (const file of files) {
      let line = 0
      for await (const text of createInterface({ input: createReadStream(join(folder, file)), crlfDelay: Number.POSITIVE_INFINITY })) {
        if (text.trim() === '') continue
        const name = `${file.replace(/\.jsonl$/, '')}-${line++}`
        yield `${JSON.stringify(documentOf(JSON.parse(text), name, FIRST_DAY + meetings++ * DAY_MS))}\n`
      }
    }
  }

  await pipeline(Readable.from(documents()), createWriteStream(target))
  return meetings
}

/** The data have no times: everyone is taken to speak at the same pace, one after the other. */
function documentOf({ meeting_transcripts: turns }: Meeting, name: string, at: number) {
  let seconds = 0
  const segments = turns.map(({ speaker, content }) => {
    const start = seconds
    seconds = Math.round((start + content.split(/\s+/).filter(Boolean).length / WORDS_PER_SECOND) * 10) / 10
    return { speaker, start, end: seconds, text: content }
  })
  return {
    external_id: `qmsum-${name}`,
    title: `Meeting ${name}`,
    timestamp: new Date(at).toISOString(),
    type: 'meeting',
    duration_seconds: seconds,
    segments
  }
}
