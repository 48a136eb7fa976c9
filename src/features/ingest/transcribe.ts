import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { boundSpeakers } from '../../contract/bounded-speakers.ts'
import { type Ai, AiError, type Transcription, UnsuitableRecording } from '../../platform/ai/ai.ts'
import type { Clock } from '../../platform/core/clock.ts'
import type { Database } from '../../platform/db/open.ts'
import type { MediaStore } from '../../platform/ports/media-store.ts'
import type { SoundTools } from '../../platform/ports/sound-tools.ts'
import { primaryLanguage } from '../../platform/text/language-code.ts'
import { type SessionKey, updateSessionRow } from '../library/session-row.ts'
import { deleteParts, listParts } from './parts/queries.ts'
import { transcribeInParts, Unfinished } from './parts/transcribe-parts.ts'
import { type ForProcessing, findRecording, lockProcessing, saveSegments } from './queries.ts'
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
  if (!transcripts)
    throw new AiError('The recording has no transcript: set TRANSCRIPTION_MODEL, or import one with it.', {
      final: true
    })
  const { key } = recording
  const language = toLanguage(found.session.language)
  const asked = { ...recording, userId, sessionId, language, transcripts, signal }
  const made = await media.withFile(key, path => transcribe(transcriber, { ...asked, path }))
  return made instanceof Unfinished ? made : ((await keep(transcriber, found, made)) ?? found)
}

interface Asked extends SessionKey {
  key: string
  contentType: string
  path: string
  language: string | null
  transcripts: NonNullable<Ai['transcripts']>
  signal: AbortSignal
}

/** Sends the recording as a whole. One that is too large, that the server refuses, or that is begun in parts, is transcribed in parts. */
async function transcribe(
  { db, sound }: Transcriber,
  { key, contentType, transcripts, ...asked }: Asked
): Promise<Transcription | Unfinished> {
  const { path, language, signal } = asked
  let refusal: AiError | undefined
  if (
    (await stat(path)).size <= transcripts.maxBytes &&
    (await listParts(db, asked.userId, asked.sessionId)).length === 0
  ) {
    try {
      const made = await transcripts.transcribe({ path, name: fileNameOf(key), contentType, language }, signal)
      return { ...made, segments: nameVoices(made.segments) }
    } catch (error) {
      if (!(error instanceof UnsuitableRecording)) throw error
      refusal = error
    }
  }
  return await transcribeInParts({ db, transcripts, sound }, { ...asked, refusal })
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
  { segments: heard, language, durationSeconds }: Transcription
) {
  const { userId, sessionId } = found.session
  const { segments } = boundSpeakers(heard)
  return await db.transaction(async tx => {
    const session = await lockProcessing(tx, userId, sessionId)
    if (!session) return undefined
    const known = {
      language: session.language ?? language,
      durationSeconds: session.durationSeconds || durationSeconds,
      updatedAt: clock.now()
    }
    await updateSessionRow(tx, userId, sessionId, known)
    await saveSegments(tx, userId, sessionId, segments, known.updatedAt)
    await deleteParts(tx, userId, sessionId)
    return { ...found, session: { ...session, ...known }, segments }
  })
}
