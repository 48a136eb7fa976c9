import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type AiReply, type AiRequest, json } from './ai-server.ts'

const run = promisify(execFile)
/** A command that a test runs in its process may have another path. */
const env = { PATH: process.env.PATH }
const RATE = 8_000
const WORDS = 80
const VOICES = [2_800, 3_200, 3_600]
const WORD_SECONDS = 0.3
const GAP_SECONDS = 0.1
const PAUSE_SECONDS = 0.8
const WINDOW_SECONDS = 0.1
const HOP_SECONDS = 0.05

/** Speech for tests: each word is a tone, and each voice another tone beside it. The words are w0, w1, … in a circle of 80. */
export interface Speech {
  words: string[]
  seconds: number
  path: string
}

export interface Script {
  seconds: number
  /** The words between pauses; without pauses, all of them. */
  sentence?: number
  /** The voices, which take turns with each sentence. */
  voices?: number
  /** Arguments of ffmpeg that choose the format of the file. */
  format?: string[]
}

/** Writes a recording with ffmpeg. */
export async function speak(path: string, { seconds, sentence = 8, voices = 1, format = ['-b:a', '48k'] }: Script) {
  const samples = new Int16Array(Math.ceil((seconds + 2) * RATE))
  const words: string[] = []
  let at = 0.5
  while (at < seconds) {
    const index = words.length % WORDS
    const turn = Math.floor(words.length / sentence)
    tone(samples, at, [frequencyOf(index), VOICES[turn % voices]!])
    words.push(`w${index}`)
    at += WORD_SECONDS + (words.length % sentence === 0 ? PAUSE_SECONDS : GAP_SECONDS)
  }
  const raw = `${path}.raw`
  writeFileSync(raw, new Uint8Array(samples.buffer, 0, Math.ceil(at * RATE) * 2))
  const input = ['-f', 's16le', '-ar', String(RATE), '-ac', '1', '-i', raw]
  await run('ffmpeg', ['-nostdin', '-v', 'error', ...input, '-ar', '16000', ...format, '-y', path], { env })
  rmSync(raw)
  return { words, seconds: at, path }
}

function frequencyOf(word: number) {
  return 400 + 25 * word
}

function tone(samples: Int16Array, at: number, frequencies: number[]) {
  const first = Math.round(at * RATE)
  const length = Math.round(WORD_SECONDS * RATE)
  for (let n = 0; n < length; n++) {
    const fade = Math.min(1, n / 80, (length - n) / 80)
    const sum = frequencies.reduce((total, hertz) => total + Math.sin((2 * Math.PI * hertz * n) / RATE), 0)
    samples[first + n] = Math.round(6_000 * fade * sum)
  }
}

interface Heard {
  word: number
  voice: number
  start: number
  end: number
}

/** Returns the words of a recording with their times. A word of which less than half is there is not understood. */
export async function listen(bytes: Uint8Array): Promise<{ heard: Heard[]; seconds: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-test-speech-'))
  try {
    const path = join(folder, 'sent')
    writeFileSync(path, bytes)
    const output = ['-ar', String(RATE), '-ac', '1', '-f', 's16le', '-']
    const { stdout } = await run('ffmpeg', ['-nostdin', '-v', 'error', '-i', path, ...output], {
      env,
      encoding: 'buffer',
      maxBuffer: 1024 ** 3
    })
    const samples = new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length >> 1)
    return { heard: wordsIn(samples), seconds: samples.length / RATE }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function wordsIn(samples: Int16Array): Heard[] {
  const heard: Heard[] = []
  const window = WINDOW_SECONDS * RATE
  let current: Heard | undefined
  for (let first = 0; first + window <= samples.length; first += HOP_SECONDS * RATE) {
    const word = strongest(samples, first, window, WORDS, frequencyOf)
    const time = first / RATE
    if (word !== undefined && current?.word === word) current.end = time + WINDOW_SECONDS
    else {
      if (current) heard.push(current)
      const voice = strongest(samples, first, window, VOICES.length, index => VOICES[index]!)
      current = word === undefined ? undefined : { word, voice: voice ?? 0, start: time, end: time + WINDOW_SECONDS }
    }
  }
  if (current) heard.push(current)
  return heard.filter(({ start, end }) => end - start > 0.5 * WORD_SECONDS)
}

const SILENCE = 300

function strongest(
  samples: Int16Array,
  first: number,
  length: number,
  count: number,
  hertz: (index: number) => number
) {
  let best: { index: number; power: number } | undefined
  for (let index = 0; index < count; index++) {
    const power = powerOf(samples, first, length, hertz(index))
    if (!best || power > best.power) best = { index, power }
  }
  return best && best.power > SILENCE ? best.index : undefined
}

/** The amplitude of a frequency, by the algorithm of Goertzel. */
function powerOf(samples: Int16Array, first: number, length: number, hertz: number) {
  const factor = 2 * Math.cos((2 * Math.PI * hertz) / RATE)
  let [one, two] = [0, 0]
  for (let n = first; n < first + length; n++) [two, one] = [one, samples[n]! + factor * one - two]
  return (2 * Math.sqrt(one * one + two * two - factor * one * two)) / length
}

/** What a server that understands the tones was asked. */
export interface Listener {
  reply: AiReply
  /** The digest of each file that was transcribed: equal digests are the same part. */
  answered: string[]
  forms: NonNullable<AiRequest['form']>[]
  largest: number
}

/** Transcribes as OpenAI's API does: with times, or with speakers for a diarizing model, which knows the voices that it is told. */
export function openListener(): Listener {
  const listener: Listener = {
    answered: [],
    forms: [],
    largest: 0,
    reply: (request, response) => void answer(request, response)
  }
  return listener

  async function answer({ form = {}, file }: AiRequest, response: Parameters<AiReply>[1]) {
    listener.forms.push(form)
    listener.largest = Math.max(listener.largest, file?.bytes.length ?? 0)
    const { heard, seconds } = await listen(file?.bytes ?? Buffer.alloc(0))
    const names = await voicesOf(form)
    const letters = new Map<number, string>()
    const nameOf = (voice: number) => {
      if (!letters.has(voice)) letters.set(voice, String.fromCharCode(65 + letters.size))
      return names.get(voice) ?? letters.get(voice)!
    }
    const diarizes = form.response_format === 'diarized_json'
    const segments = sentencesOf(heard).map((words, id) => ({
      id,
      start: words[0]!.start,
      end: words.at(-1)!.end,
      text: ` ${words.map(({ word }) => `w${word}`).join(' ')}`,
      ...(diarizes && { speaker: nameOf(words[0]!.voice) })
    }))
    const text = segments.map(segment => segment.text.trim()).join(' ')
    listener.answered.push(digestOf(file?.bytes))
    const timed = { task: 'transcribe', language: 'english', duration: seconds, text, segments }
    json(form.response_format === 'json' ? { text } : timed)(undefined, response)
  }
}

function digestOf(bytes: Uint8Array = new Uint8Array()) {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Words of one voice without a pause between them. */
function sentencesOf(heard: readonly Heard[]): Heard[][] {
  const sentences: Heard[][] = []
  for (const word of heard) {
    const last = sentences.at(-1)?.at(-1)
    if (last && word.voice === last.voice && word.start - last.end < GAP_SECONDS * 3) sentences.at(-1)!.push(word)
    else sentences.push([word])
  }
  return sentences
}

/** The name that a request gives to each voice, by samples of them. */
async function voicesOf(form: NonNullable<AiRequest['form']>) {
  const names = [form['known_speaker_names[]'] ?? []].flat()
  const samples = [form['known_speaker_references[]'] ?? []].flat()
  const known = new Map<number, string>()
  for (const [index, name] of names.entries()) {
    const { heard } = await listen(Buffer.from(String(samples[index]).split(',')[1] ?? '', 'base64'))
    const [first] = heard
    if (first && heard.every(({ voice }) => voice === first.voice)) known.set(first.voice, String(name))
  }
  return known
}

/** Refuses requests whose file is larger. */
export function atMost(bytes: number, reply: AiReply, refuse: AiReply): AiReply {
  return (request, response) => ((request.file?.bytes.length ?? 0) > bytes ? refuse : reply)(request, response)
}
