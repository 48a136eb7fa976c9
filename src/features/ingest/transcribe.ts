import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { boundSpeakers } from '../../contract/bounded-speakers.ts'
import { type Ai, AiError, type Transcription, UnsuitableRecording } from '../../platform/ai/ai.ts'
import type { Clock } from '../../platform/core/clock.ts'
import type { Database } from '../../platform/db/open.ts'
import type { MediaStore } from '../../platform/ports/media-store.ts'
import type { SoundTools } from '../../platform/ports/sound-tools.ts'
import { primaryLanguage } from '../../platform/text/language-code.ts'
import { ProgramFailure } from '../../platform/work/child-program.ts'
import { type SessionKey, updateSessionRow } from '../library/session-row.ts'
import { findNewTerms } from '../terms/term-set.ts'
import { leaveOutNoSpeech } from './no-speech.ts'
import { listen, type Sound } from './parts/listen.ts'
import { deleteParts, listParts } from './parts/queries.ts'
import {
  explainFailure,
  isOpen,
  joinParts,
  type Transcript,
  transcribeInParts,
  Unfinished,
  unreadable
} from './parts/transcribe-parts.ts'
import { createWorkFolder } from './parts/work-folder.ts'
import { type ForProcessing, findRecording, lockProcessing, saveSegments } from './queries.ts'
import { UNTRANSCRIBED } from './recordings.ts'
import { nameVoices } from './voices.ts'

interface Transcriber {
  db: Database
  ai: Ai
  media: MediaStore
  clock: Clock
  sound: SoundTools
}

/**
 * Transcribes the recording of a session without a transcript. The transcript is stored, so that it is made once. It is Unfinished if
 * another job has to go on with the rest of a long recording.
 */
export async function transcribeSession(
  transcriber: Transcriber,
  found: ForProcessing,
  signal: AbortSignal
): Promise<ForProcessing | Unfinished> {
  if (found.segments.length > 0) return found
  const { ai, media } = transcriber
  const { userId, sessionId } = found.session
  const recording = await findRecording(transcriber.db, userId, sessionId)
  if (!recording) return found
  const { transcripts } = ai
  if (!transcripts && found.session.summary !== null) return found
  if (!transcripts) throw new AiError(UNTRANSCRIBED, { final: true })
  const { key } = recording
  const language = toLanguage(found.session.language)
  const { terms } = await findNewTerms(transcriber.db, userId)
  // The newest terms come first, because a model takes a few only.
  const words = [...new Set(terms.map(({ meant }) => meant).reverse())]
  const asked = { ...recording, userId, sessionId, language, words, transcripts, signal }
  const made = await media.withFile(key, path => transcribe(transcriber, { ...asked, path }))
  return made instanceof Unfinished ? made : ((await keep(transcriber, found, made)) ?? found)
}

interface Asked extends SessionKey {
  key: string
  contentType: string
  path: string
  language: string | null
  words: readonly string[]
  transcripts: NonNullable<Ai['transcripts']>
  signal: AbortSignal
}

/**
 * Listens to the recording first. It is sent as it is where a server would hear the same, and in parts where its size, another track, a pause or the
 * server forbids that. Without ffmpeg it is always sent as it is.
 */
async function transcribe(
  { db, sound: tools }: Transcriber,
  { key, contentType, path, ...asked }: Asked
): Promise<Transcript | Unfinished> {
  const { userId, sessionId, transcripts, language, words, signal } = asked
  const parts = await listParts(db, userId, sessionId)
  if (parts.length > 0 && !parts.some(isOpen)) return joinParts(parts)
  await using folder = await createWorkFolder(tools.folder)
  const sound = await listen(tools, { path, folder: folder.path, signal }).catch(toFailure)
  const isHeard = !(sound instanceof ProgramFailure)
  if (isHeard && sound.seconds === 0) throw unreadable('ffmpeg finds no sound in the recording.')
  let refusal: AiError | undefined
  if (parts.length === 0 && (await stat(path)).size <= transcripts.maxBytes && (!isHeard || sound.isLikeRecording)) {
    try {
      const made = await transcripts.transcribe({ path, name: fileNameOf(key), contentType, language, words }, signal)
      return toTranscript(made, isHeard ? sound : undefined)
    } catch (error) {
      if (!(error instanceof UnsuitableRecording)) throw error
      refusal = error
    }
  }
  if (!isHeard) throw explainFailure(sound, refusal)
  return await transcribeInParts({ db, transcripts, tools }, { ...asked, sound, folder: folder.path })
}

/** A server that says no length gets that of the sound, which is also the time of a text without segments. */
function toTranscript({ segments, language, durationSeconds }: Transcription, sound: Sound | undefined): Transcript {
  const lastEnd = segments.reduce((last, { end }) => Math.max(last, end ?? 0), 0)
  const length = durationSeconds > lastEnd ? durationSeconds : Math.max(lastEnd, sound?.seconds ?? 0)
  const [only, ...others] = segments
  const isText = only?.start === null && others.length === 0 && length > 0
  const placed = isText ? [{ ...only, start: 0, end: length }] : segments
  const spoken = leaveOutNoSpeech(nameVoices(placed), sound?.hasVoice ?? (() => true))
  return { ...spoken, language, durationSeconds: length }
}

function toFailure(error: unknown) {
  if (error instanceof ProgramFailure) return error
  throw error
}

/** Providers take languages of two letters. */
function toLanguage(language: string | null) {
  const code = primaryLanguage(language)
  return code?.length === 2 ? code : null
}

/** Providers detect the format by name, and .ogg is better known than .opus. */
function fileNameOf(key: string) {
  const extension = extname(key)
  return `recording${extension === '.opus' ? '.ogg' : extension}`
}

async function keep(
  { db, clock }: Transcriber,
  found: ForProcessing,
  { segments: heard, left, language, durationSeconds }: Transcript
) {
  const { userId, sessionId } = found.session
  const { segments } = boundSpeakers(heard)
  return await db.transaction(async tx => {
    const session = await lockProcessing(tx, userId, sessionId)
    if (!session) return undefined
    const known = {
      language: session.language ?? language,
      durationSeconds: session.durationSeconds || durationSeconds,
      warnings: left.length > 0 ? boundWarnings(left) : null,
      updatedAt: clock.now()
    }
    await updateSessionRow(tx, userId, sessionId, known)
    await saveSegments(tx, userId, sessionId, segments, known.updatedAt)
    await deleteParts(tx, userId, sessionId)
    return { ...found, session: { ...session, ...known }, segments, version: found.version + 1 }
  })
}

const MAX_WARNINGS = 20

function boundWarnings(left: readonly string[]) {
  const more = left.length - MAX_WARNINGS
  return more > 0 ? [...left.slice(0, MAX_WARNINGS), `${more} more segments are left out or shortened.`] : [...left]
}
