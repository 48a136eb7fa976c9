import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type AiReply, type AiRequest, json } from './ai-server.ts'

const run = promisify(execFile)
const env = { PATH: process.env.PATH }
const RATE = 16_000
const WINDOW = RATE / 10
/** Softer sound is silence. */
const AUDIBLE = 0.005
/** A pause between two stretches of speech. */
const PAUSE_WINDOWS = 6

/** Writes the voice of a synthesizer that says the words, as WAV. */
export async function say(path: string, words: string) {
  await run('espeak-ng', ['-v', 'en-us', '-s', '150', '-w', path, words], { env })
  return path
}

/** Runs ffmpeg, as a recorder would write its file. */
export async function record(path: string, ...args: string[]) {
  await run('ffmpeg', ['-nostdin', '-v', 'error', ...args, '-y', path], { env })
  return path
}

/** What a server hears in a file: the first track in one voice, without a look at the times of packets. */
export interface Heard {
  seconds: number
  /** The mean level in decibels. */
  level: number
  speech: { start: number; end: number }[]
}

export async function hear(bytes: Uint8Array): Promise<Heard> {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-test-spoken-'))
  try {
    const path = join(folder, 'sent')
    writeFileSync(path, bytes)
    const output = ['-map', '0:a:0', '-ac', '1', '-ar', String(RATE), '-f', 's16le', '-']
    const args = ['-nostdin', '-v', 'error', '-i', path, ...output]
    const { stdout } = await run('ffmpeg', args, { env, encoding: 'buffer', maxBuffer: 1024 ** 3 })
    return measure(new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length >> 1))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function measure(samples: Int16Array): Heard {
  const speech: Heard['speech'] = []
  let power = 0
  for (let first = 0; first < samples.length; first += WINDOW) {
    const window = samples.subarray(first, first + WINDOW)
    const sum = window.reduce((total, sample) => total + (sample / 32_768) ** 2, 0)
    power += sum
    if (Math.sqrt(sum / window.length) < AUDIBLE) continue
    const [start, end] = [first / RATE, (first + window.length) / RATE]
    const last = speech.at(-1)
    if (last && start - last.end < (PAUSE_WINDOWS * WINDOW) / RATE) last.end = end
    else speech.push({ start, end })
  }
  return { seconds: samples.length / RATE, level: 10 * Math.log10(power / samples.length), speech }
}

/** A server that answers with a segment for each stretch of speech. */
export function openHearer() {
  const hearer = {
    heard: [] as Heard[],
    sent: [] as NonNullable<AiRequest['file']>[],
    reply: ((request, response) => void answer(request, response)) as AiReply
  }
  return hearer

  async function answer({ file }: AiRequest, response: Parameters<AiReply>[1]) {
    const heard = await hear(file?.bytes ?? Buffer.alloc(0))
    if (file) hearer.sent.push(file)
    hearer.heard.push(heard)
    const segments = heard.speech.map((place, id) => ({ id, ...place, text: ` Sentence ${id + 1}.` }))
    const text = segments.map(segment => segment.text.trim()).join(' ')
    json({ task: 'transcribe', language: 'english', duration: heard.seconds, text, segments })(undefined, response)
  }
}
