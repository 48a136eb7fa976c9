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
import { ProgramFailure } from '../../../platform/work/child-program.ts'
import { FAILURES } from '../../library/failure-reason.ts'
import type { SessionKey } from '../../library/session-row.ts'
import { chooseSamples, nameVoicesOfPart, toLabel } from '../voices.ts'
import { cutSound, type Prepared, prepareSound } from './ffmpeg.ts'
import { longestStretch, MIN_SECONDS, planStretches, type Stretch } from './plan.ts'
import { insertParts, listParts, type Part, savePart, splitPart } from './queries.ts'
import { joinSeams, placeSegments } from './seams.ts'
import { createWorkFolder } from './work-folder.ts'

interface InParts {
  db: Database
  transcripts: Pick<Transcripts, 'transcribe' | 'maxBytes'>
  sound: SoundTools
}

interface Asked extends SessionKey {
  path: string
  language: string | null
  signal: AbortSignal
  /** The reason why the recording is not sent as a whole, unless its size is. */
  refusal: AiError | undefined
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
 * not all, is Unfinished. Rejects with an AiError, which is final if ffmpeg is missing or cannot read the recording.
 */
export async function transcribeInParts(tools: InParts, asked: Asked): Promise<Transcription | Unfinished> {
  const { db, transcripts } = tools
  const { userId, sessionId } = asked
  const until = performance.now() + TURN_MS
  let done = 0
  let parts = await listParts(db, userId, sessionId)
  if (parts.length === 0 || parts.some(isOpen)) {
    await using folder = await createWorkFolder(tools.sound.folder)
    const sound = await prepare(tools.sound, asked, folder.path)
    if (parts.length === 0)
      await insertParts(db, userId, sessionId, planStretches(sound.levels, longestStretch(transcripts.maxBytes)))
    for (;;) {
      parts = await listParts(db, userId, sessionId)
      const next = parts.find(isOpen)
      if (!next) break
      if (performance.now() > until) return new Unfinished()
      try {
        await transcribePart(tools, asked, { next, parts, sound, folder: folder.path })
        done++
      } catch (error) {
        if (done > 0 && error instanceof AiError && !error.final) return new Unfinished(error)
        throw error
      }
    }
  }
  return joinParts(parts)
}

const isOpen = ({ transcript }: Part) => transcript === null

async function prepare(tools: SoundTools, { path, signal, refusal }: Asked, folder: string) {
  try {
    const sound = await prepareSound(tools, path, join(folder, 'sound.ogg'), signal)
    if (sound.levels.length > 0) return sound
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error
    if (error.reason === 'missing') throw needsFfmpeg(refusal)
    throw refusal ?? unreadable(`ffmpeg cannot read the recording (${error.message}).`)
  }
  throw refusal ?? unreadable('ffmpeg finds no sound in the recording.')
}

function unreadable(message: string) {
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
  sound: Prepared
  folder: string
}

/** Transcribes a part and keeps its transcript, or replaces a part that the server refuses by smaller ones. */
async function transcribePart(tools: InParts, asked: Asked, { next, parts, sound, folder }: Work) {
  const { db, transcripts } = tools
  const { userId, sessionId, language, signal } = asked
  const path = join(folder, 'part.ogg')
  const bytes = await cutSound(tools.sound, sound.path, path, { ...toSeconds(next), signal })
  if (bytes > transcripts.maxBytes) return await split(db, asked, next, sound, undefined)
  const heard = heardBefore(parts, next)
  const room = transcripts.maxBytes - bytes - FORM_BYTES
  const { voices, told } = await cutVoices(heard, { tools: tools.sound, sound, folder, room, signal })
  try {
    const file = { path, name: 'recording.ogg', contentType: CONTENT_TYPE, language, voices }
    const made = await transcripts.transcribe(file, signal)
    const known = [...new Set(heard.map(({ speaker }) => speaker))]
    const segments = nameVoicesOfPart(placeSegments(next, made.segments), known, made.knowsVoices ? told : undefined)
    await savePart(db, userId, sessionId, next, { segments, language: made.language })
  } catch (error) {
    if (!(error instanceof UnsuitableRecording)) throw error
    await split(db, asked, next, sound, error)
  }
}

async function split(
  db: Database,
  { userId, sessionId }: SessionKey,
  part: Stretch,
  { levels }: Prepared,
  refusal: AiError | undefined
) {
  const { start, end } = toSeconds(part)
  const seconds = (end - start) / 2 + 1
  if (seconds < 2 * MIN_SECONDS)
    throw refusal ?? new AiError('TRANSCRIPTION_MAX_BYTES is smaller than some seconds of sound.', { final: true })
  await splitPart(db, userId, sessionId, part, planStretches(levels, seconds, part))
}

function toSeconds({ startMs, endMs }: Stretch) {
  return { start: startMs / 1_000, end: endMs / 1_000 }
}

function heardBefore(parts: readonly Part[], next: Part) {
  return parts.filter(({ startMs }) => startMs < next.startMs).flatMap(({ transcript }) => transcript?.segments ?? [])
}

interface Cutting {
  tools: SoundTools
  sound: Prepared
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
    left -= (await cutSound(tools, sound.path, path, { ...sample, signal })) * 1.4
    if (left < 0) break
    const label = toLabel(sample.name)
    told.set(label, sample.name)
    voices.push({ name: label, path, contentType: CONTENT_TYPE })
  }
  return { voices, told }
}

function joinParts(parts: readonly Part[]): Transcription {
  const heard = parts.map(({ startMs, endMs, transcript }) => ({
    startMs,
    endMs,
    segments: transcript?.segments ?? []
  }))
  return {
    segments: joinSeams(heard),
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
