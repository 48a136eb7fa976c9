import type { Actor } from '../../platform/ports/actor.ts'
import { operation } from '../access/operation.ts'
import { findRecordings } from '../recordings/queries.ts'
import { addRecording, type RecordingAdder } from './add-recording.ts'
import { type Imported, insertImport, type StagedImport } from './operations.ts'
import { type Pair, toPair } from './pair.ts'

/** Inserts a staged recording and its transcript. The session of an earlier import, which may have had the transcript alone, gets the recording. */
export const insertPair = operation(
  'uploadSession',
  async (services: RecordingAdder, actor, staged: StagedImport, files: Pair): Promise<Imported> => {
    const imported = await insertImport(services, staged)
    if (!imported.created) await addMissing(services, actor, imported.session.id, files)
    return imported
  }
)

async function addMissing(services: RecordingAdder, actor: Actor, sessionId: string, files: Pair) {
  const found = await findRecordings(services.db, actor.userId, sessionId)
  const isRecorded = found === undefined || Object.values(found).some(place => place !== null)
  if (!isRecorded) await addRecording(services, actor, sessionId, toPair(files).recording)
}
