import { extname } from 'node:path'
import { type Ai, AiError, type Transcription } from '../ai/ai.ts'
import type { Clock } from '../core/clock.ts'
import type { Database } from '../db/open.ts'
import type { MediaStore } from '../recordings/store.ts'
import { updateSessionRow } from '../sessions/session-row.ts'
import { primaryLanguage } from '../text/language-code.ts'
import { type ForProcessing, findRecording, lockProcessing, saveSegments } from './queries.ts'
import { nameVoices } from './voices.ts'

interface Transcriber {
  db: Database
  ai: Ai
  media: MediaStore
  clock: Clock
}

/** Transcribes the recording of a session without a transcript. The transcript is stored, so that it is made once. */
export async function transcribeSession(
  transcriber: Transcriber,
  found: ForProcessing,
  signal: AbortSignal
): Promise<ForProcessing> {
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
  const { key, contentType } = recording
  const { language } = found.session
  const made = await media.withFile(key, path =>
    transcripts.transcribe({ path, name: fileNameOf(key), contentType, language: toLanguage(language) }, signal)
  )
  return (await keep(transcriber, found, { ...made, segments: nameVoices(made.segments) })) ?? found
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
  { segments, language, durationSeconds }: Transcription
) {
  const { userId, sessionId } = found.session
  return await db.transaction(async tx => {
    const session = await lockProcessing(tx, userId, sessionId)
    if (!session) return undefined
    const known = {
      language: session.language ?? language,
      durationSeconds: session.durationSeconds || durationSeconds,
      updatedAt: clock.now()
    }
    await updateSessionRow(tx, userId, sessionId, known)
    await saveSegments(tx, userId, sessionId, segments)
    return { ...found, session: { ...session, ...known }, segments }
  })
}
