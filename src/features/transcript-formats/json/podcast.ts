import { z } from 'zod'
import { completeTranscript } from '../turns.ts'
import { type JsonRecord, readEach, secondsField, someObjects, speaker } from './fields.ts'
import { joinWords } from './words.ts'

const PodcastSegment = z.object({ speaker, startTime: secondsField, endTime: secondsField, body: z.string() })

/** Transcripts of the podcast namespace: segments with a `body`. */
export function readPodcast(json: JsonRecord) {
  const segments = someObjects(json.segments)
  if (!segments?.every(segment => 'body' in segment)) return null
  const turns = readEach(PodcastSegment, segments, 'segments').map(said => ({
    speaker: said.speaker,
    start: said.startTime,
    end: said.endTime,
    text: said.body
  }))
  return completeTranscript({ turns: joinWords(turns) })
}
