import { recordingExtension } from '../../contract/recording.ts'
import { invalid } from '../../platform/core/api-error.ts'
import type { PackedEntry, StoredFile } from '../../platform/ports/reader.ts'
import { operation } from '../access/operation.ts'
import type { Needs } from '../services.ts'
import { readUpload } from './upload.ts'

export type Pair = readonly [StoredFile, StoredFile]

/** Reads a recording and its transcript, in any order, as one conversation. Nothing transcribes the recording, because its words are there. */
export const readPair = operation(
  'uploadSession',
  async (services: Needs<'reader' | 'sound'>, actor, files: Pair): Promise<PackedEntry> => {
    const { recording, transcript } = toPair(files)
    const entry = await readUpload(services, actor, transcript)
    const { recordings, startedAt } = await readUpload(services, actor, recording)
    if (Object.keys(entry.recordings).length > 0 || entry.document.media)
      throw invalid({
        field: 'file',
        problem: 'The transcript names a recording already',
        expected: 'one of the files'
      })
    return { ...entry, recordings, startedAt: entry.startedAt ?? startedAt }
  }
)

/** Tells a recording and its transcript apart. */
export function toPair([one, other]: Pair) {
  const isRecorded = ({ path }: StoredFile) => recordingExtension(path) !== undefined
  if (isRecorded(one) === isRecorded(other))
    throw invalid({
      field: 'file',
      problem: isRecorded(one) ? 'Both files are recordings' : 'Neither file is a recording',
      expected: 'a recording and its transcript, or one file at a time'
    })
  return isRecorded(one) ? { recording: one, transcript: other } : { recording: other, transcript: one }
}
