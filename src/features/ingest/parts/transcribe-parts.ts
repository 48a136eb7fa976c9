import { join } from 'node:path'
import {
  AiError,
  MAX_VOICES,
  type Transcription,
  type Transcripts,
  UnsuitableRecording,
  type Voice
} from '../../../platform/ai/ai.ts'
import type { Database } from '../../../platform/db/open.ts'
import type { PartTranscript } from '../../../platform/db/schema/index.ts'
import type { SoundTools } from '../../../platform/ports/sound-tools.ts'
import type { Segment } from '../../../platform/text/segment.ts'
import type { ProgramFailure } from '../../../platform/work/child-program.ts'
import { FAILURES } from '../../library/failure-reason.ts'
import type { SessionKey } from '../../library/session-row.ts'
import { leaveOutNoSpeech, type Spoken } from '../no-speech.ts'
import { chooseSamples, nameVoicesOfPart, toLabel } from '../voices.ts'
import { cutSound } from './ffmpeg.ts'
import type { Sound } from './listen.ts'
import { longestStretch, MIN_SECONDS, planStretches, type Stretch } from './plan.ts'
import { insertParts, listParts, type Part, savePart, splitPart } from './queries.ts'
import { joinSeams, placeSegments } from './seams.ts'

interface InParts {
  db: Database
  transcripts: Pick<Transcripts, 'transcribe' | 'maxBytes'>
  tools: SoundTools
}

interface Asked extends SessionKey {
  sound: Sound
  /** The folder of the sound, for that of its parts. */
  folder: string
  language: string | null
  words: readonly string[]
  signal: AbortSignal
}

/** The words of a whole recording. */
export interface Transcript extends Spoken, Pick<Transcription, 'language'> {
  durationSeconds: number
}

/** A job ends before it expires, and another one goes on. */
const TURN_MS = 30 * 60_000

/** The form of a request. */
const FORM_BYTES = 2_048

const CONTENT_TYPE = 'audio/ogg'

/** Some parts are done, and another job has to go on. `error` says that the provider does not answer. */
export class Unfinished {
  readonly error: AiError | undefined

  constructor(error?: AiError) {
    this.error = error
  }
}

/**
 * Transcribes a recording in parts. Each is kept when it is done, so that a later attempt goes on after it. An attempt that has done some, but
 * not all, is Unfinished. Rejects with an AiError.
 */
export async function transcribeInParts(services: InParts, asked: Asked): Promise<Transcript | Unfinished> {
  const { db, transcripts } = services
  const { userId, sessionId, sound } = asked
  const until = performance.now() + TURN_MS
  let done = 0
  if ((await listParts(db, userId, sessionId)).length === 0) {
    const planned = planStretches(sound.levels, longestStretch(transcripts.maxBytes))
    const whole = { startMs: 0, endMs: Math.round(sound.seconds * 1_000) }
    if (sound.levels.length > 0) await insertParts(db, userId, sessionId, toRecorded(planned, sound, whole))
  }
  for (;;) {
    const parts = await listParts(db, userId, sessionId)
    const next = parts.find(isOpen)
    if (!next) return { ...joinParts(parts), durationSeconds: sound.seconds }
    if (performance.now() > until) return new Unfinished()
    try {
      await transcribePart(services, asked, { next, parts })
      done++
    } catch (error) {
      if (done > 0 && error instanceof AiError && !error.final) return new Unfinished(error)
      throw error
    }
  }
}

export const isOpen = ({ transcript }: Part) => transcript === null

/** Moves stretches of the sound to the clock of the recording, of which they cover a whole stretch. */
function toRecorded(stretches: readonly Stretch[], { timeline }: Sound, whole: Stretch): Stretch[] {
  return stretches.map(({ startMs, endMs }, at) => ({
    startMs: at === 0 ? whole.startMs : Math.round(timeline.toRecorded(startMs, 'start')),
    endMs: at === stretches.length - 1 ? whole.endMs : Math.round(timeline.toRecorded(endMs, 'end'))
  }))
}

function toSent({ startMs, endMs }: Stretch, { timeline }: Sound): Stretch {
  return { startMs: timeline.toSent(startMs), endMs: timeline.toSent(endMs) }
}

/** Says why a recording cannot be sent in parts. `refusal`: why it is not sent as a whole, unless its size is the reason. */
export function explainFailure(error: ProgramFailure, refusal: AiError | undefined) {
  if (error.reason === 'missing') return needsFfmpeg(refusal)
  return refusal ?? unreadable(`ffmpeg cannot read the recording (${error.message}).`)
}

export function unreadable(message: string) {
  return new AiError(message, { final: true, shown: FAILURES.unreadable })
}

function needsFfmpeg(refusal: AiError | undefined) {
  const message = refusal ? `${refusal.message}; install ffmpeg, which cuts the recording into parts.` : NEEDS_FFMPEG
  return new AiError(message, { final: true, shown: FAILURES.tooLarge })
}

const NEEDS_FFMPEG =
  'The recording is larger than the transcription server takes: install ffmpeg, which cuts it into parts, or raise TRANSCRIPTION_MAX_BYTES.'

interface Work {
  next: Part
  parts: readonly Part[]
}

/** Transcribes a part and keeps its transcript, or replaces a part that the server refuses by smaller ones. */
async function transcribePart({ db, transcripts, tools }: InParts, asked: Asked, { next, parts }: Work) {
  const { userId, sessionId, language, words, signal, sound, folder } = asked
  const path = join(folder, 'part.ogg')
  const sent = toSent(next, sound)
  const bytes = await cutSound(tools, sound.path, path, { ...toSeconds(sent), signal })
  if (bytes > transcripts.maxBytes) return await split(db, asked, next, undefined)
  const heard = heardBefore(parts, next)
  const room = transcripts.maxBytes - bytes - FORM_BYTES
  const { voices, told } = await cutVoices(heard, { tools, sound, folder, room, signal })
  try {
    const file = { path, name: 'recording.ogg', contentType: CONTENT_TYPE, language, words, voices }
    const made = await transcripts.transcribe(file, signal)
    const known = [...new Set(heard.map(({ speaker }) => speaker))]
    const placed = placeSegments(sent, made.segments).map(segment => toRecordedTimes(segment, sound))
    const segments = nameVoicesOfPart(placed, known, made.knowsVoices ? told : undefined)
    const { segments: spoken, left } = leaveOutNoSpeech(segments, sound.hasVoice)
    await savePart(db, userId, sessionId, next, { segments: spoken, left, language: made.language })
  } catch (error) {
    if (!(error instanceof UnsuitableRecording)) throw error
    await split(db, asked, next, error)
  }
}

function toRecordedTimes(segment: Segment, { timeline }: Sound): Segment {
  const { start, end } = segment
  const from = start === null ? null : timeline.toRecorded(start * 1_000, 'start') / 1_000
  const to = end === null ? null : timeline.toRecorded(end * 1_000, 'end') / 1_000
  return { ...segment, start: from, end: from !== null && to !== null ? Math.max(from, to) : to }
}

async function split(db: Database, { userId, sessionId, sound }: Asked, part: Stretch, refusal: AiError | undefined) {
  const sent = toSent(part, sound)
  const { start, end } = toSeconds(sent)
  const seconds = (end - start) / 2 + 1
  if (seconds < 2 * MIN_SECONDS)
    throw refusal ?? new AiError('TRANSCRIPTION_MAX_BYTES is smaller than some seconds of sound.', { final: true })
  await splitPart(db, userId, sessionId, part, toRecorded(planStretches(sound.levels, seconds, sent), sound, part))
}

function toSeconds({ startMs, endMs }: Stretch) {
  return { start: startMs / 1_000, end: endMs / 1_000 }
}

function heardBefore(parts: readonly Part[], next: Part) {
  return parts.filter(({ startMs }) => startMs < next.startMs).flatMap(({ transcript }) => transcript?.segments ?? [])
}

interface Cutting {
  tools: SoundTools
  sound: Sound
  folder: string
  room: number
  signal: AbortSignal
}

/** Cuts a sample of each speaker out of the parts before, and returns with them the name that belongs to each label. */
async function cutVoices(heard: PartTranscript['segments'], { tools, sound, folder, room, signal }: Cutting) {
  const voices: Voice[] = []
  const told = new Map<string, string>()
  let left = room
  for (const [index, sample] of chooseSamples(heard, MAX_VOICES).entries()) {
    const path = join(folder, `voice-${index}.ogg`)
    // As a data URL it is larger by a third.
    const sent = toSeconds(toSent({ startMs: sample.start * 1_000, endMs: sample.end * 1_000 }, sound))
    left -= (await cutSound(tools, sound.path, path, { ...sent, signal })) * 1.4
    if (left < 0) break
    const label = toLabel(sample.name)
    told.set(label, sample.name)
    voices.push({ name: label, path, contentType: CONTENT_TYPE })
  }
  return { voices, told }
}

export function joinParts(parts: readonly Part[]): Transcript {
  const heard = parts.map(({ startMs, endMs, transcript }) => ({
    startMs,
    endMs,
    segments: transcript?.segments ?? []
  }))
  return {
    segments: joinSeams(heard),
    left: parts.flatMap(({ transcript }) => transcript?.left ?? []),
    language: commonestLanguage(parts),
    durationSeconds: (parts.at(-1)?.endMs ?? 0) / 1_000
  }
}

/** The language that is heard for the longest time. */
function commonestLanguage(parts: readonly Part[]) {
  const heardMs = new Map<string, number>()
  for (const { startMs, endMs, transcript } of parts) {
    const { language = null } = transcript ?? {}
    if (language !== null) heardMs.set(language, (heardMs.get(language) ?? 0) + endMs - startMs)
  }
  return [...heardMs].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null
}
