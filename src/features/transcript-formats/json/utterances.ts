import { z } from 'zod'
import { completeTranscript } from '../turns.ts'
import { type JsonRecord, readEach, secondsField, someObjects, speaker, stringOrNull } from './fields.ts'

const Utterance = z.object({ speaker, start: secondsField, end: secondsField, text: z.string() })

/** Utterances in seconds, as Gladia writes them in `result.transcription`. */
export function readUtterances(json: JsonRecord) {
  const utterances = someObjects(json.utterances)
  if (!utterances?.every(said => 'text' in said && 'start' in said)) return null
  const [language] = Array.isArray(json.languages)
    ? json.languages.map(stringOrNull)
    : [stringOrNull(utterances[0]?.language)]
  return completeTranscript({ turns: readEach(Utterance, utterances, 'utterances'), language: language ?? null })
}
