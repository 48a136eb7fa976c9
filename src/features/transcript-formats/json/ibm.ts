import { z } from 'zod'
import { completeTranscript } from '../turns.ts'
import { withSpeakers } from './any-tool.ts'
import { type JsonRecord, objectsOf, readEach, secondsField, someObjects, speaker, stringOrNull } from './fields.ts'
import { turnsOfWords } from './words.ts'

const Timestamp = z.tuple([z.string(), secondsField, secondsField])
const Label = z.object({ from: secondsField, to: secondsField, speaker })
const HESITATION = '%HESITATION'

/** IBM Speech to Text: `timestamps` of words in the first alternative of each result, and `speaker_labels` beside them. */
export function readIbm(json: JsonRecord) {
  const results = someObjects(json.results)
  const best = results?.map(result => objectsOf(result.alternatives)?.[0] ?? {})
  if (!best?.some(alternative => Array.isArray(alternative.timestamps))) return null
  const labels = readEach(Label, objectsOf(json.speaker_labels) ?? [], 'speaker_labels')
  const spans = labels.map(({ from: start, to: end, speaker: name }) => ({ speaker: name, start, end, text: '' }))
  const turns = best.flatMap((alternative, index) => {
    const timestamps = Array.isArray(alternative.timestamps) ? alternative.timestamps : []
    const path = ['results', index, 'alternatives', 0, 'timestamps']
    const words = readEach(Timestamp, timestamps, ...path).map(([text, start, end]) => ({
      speaker: null,
      start,
      end,
      text
    }))
    if (words.length === 0)
      return [{ speaker: null, start: null, end: null, text: stringOrNull(alternative.transcript) ?? '' }]
    return turnsOfWords(withSpeakers(words, spans).filter(({ text }) => text !== HESITATION))
  })
  return completeTranscript({ turns })
}
