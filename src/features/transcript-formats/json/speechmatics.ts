import { z } from 'zod'
import { completeTranscript } from '../turns.ts'
import { isRecord, type JsonRecord, readEach, secondsField, someObjects, speaker, stringOrNull } from './fields.ts'
import { turnsOfWords } from './words.ts'

const Alternative = z.object({ content: z.string(), speaker })
const Result = z.object({
  type: z.string(),
  start_time: secondsField,
  end_time: secondsField,
  alternatives: z.array(Alternative),
  channel: speaker
})

/** Speechmatics: `results` of words and punctuation, each with `alternatives` that have a `content`. */
export function readSpeechmatics(json: JsonRecord) {
  const results = someObjects(json.results)
  if (!results?.every(result => 'start_time' in result && ('alternatives' in result || 'type' in result))) return null
  const said = results.filter(result => 'alternatives' in result)
  const words = readEach(Result, said, 'results').flatMap(
    ({ alternatives: [best], channel, start_time: start, end_time: end }) =>
      best ? [{ speaker: best.speaker ?? channel, start, end, text: best.content }] : []
  )
  const { metadata } = json
  const config = isRecord(metadata) ? metadata.transcription_config : null
  return completeTranscript({
    turns: turnsOfWords(words),
    language: isRecord(config) ? stringOrNull(config.language) : null
  })
}
