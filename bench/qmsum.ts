import { createReadStream, createWriteStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

interface Meeting {
  meeting_transcripts: { speaker: string; content: string }[]
}

const WORDS_PER_SECOND = 2.5
const FIRST_DAY = Date.UTC(2026, 0, 5, 9)
const DAY_MS = 86_400_000

/** Writes every meeting of the folder's .jsonl files as an import document, one a line. Returns how many there are. */
export async function convertMeetings(folder: string, target: string) {
  const files = readdirSync(folder)
    .filter(name => name.endsWith('.jsonl'))
    .sort()
  if (files.length === 0) throw new Error(`There are no .jsonl files of QMSum in ${folder}`)
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
