import { z } from 'zod'
import { completeTranscript } from '../turns.ts'
import {
  durationField,
  type JsonRecord,
  millisecondsField,
  objectsOf,
  read,
  readEach,
  someObjects,
  speaker,
  stringOrNull
} from './fields.ts'

const TICKS_PER_MS = 10_000
const ticks = z.preprocess(count => (typeof count === 'number' ? count / TICKS_PER_MS : count), millisecondsField)
const Phrase = z.object({
  speaker,
  offsetInTicks: ticks,
  durationInTicks: ticks,
  offsetMilliseconds: millisecondsField,
  durationMilliseconds: millisecondsField,
  text: z.string().nullish(),
  nBest: z.array(z.object({ display: z.string() })).nullish()
})

/** Azure Speech: `recognizedPhrases` of batches, or `phrases` of fast transcription. */
export function readAzure(json: JsonRecord) {
  const key = ['recognizedPhrases', 'phrases'].find(name => someObjects(json[name]))
  const phrases = key === undefined ? null : objectsOf(json[key])
  if (!key || !phrases?.every(phrase => 'offsetInTicks' in phrase || 'offsetMilliseconds' in phrase)) return null
  const turns = readEach(Phrase, phrases, key).map(phrase => {
    const start = phrase.offsetMilliseconds ?? phrase.offsetInTicks
    const length = phrase.durationMilliseconds ?? phrase.durationInTicks
    const text = phrase.text ?? phrase.nBest?.[0]?.display ?? ''
    return {
      speaker: phrase.speaker,
      start,
      end: start === null || length === null ? null : Math.round((start + length) * 1000) / 1000,
      text
    }
  })
  const locale = phrases.map(phrase => stringOrNull(phrase.locale)).find(code => code !== null)
  return completeTranscript({
    turns,
    language: locale ?? null,
    durationSeconds: read(durationField, json.durationMilliseconds ? Number(json.durationMilliseconds) / 1000 : null)
  })
}
