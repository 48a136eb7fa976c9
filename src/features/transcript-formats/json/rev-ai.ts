import { z } from 'zod'
import { completeTranscript } from '../turns.ts'
import { type JsonRecord, readEach, secondsField, someObjects, speaker } from './fields.ts'
import { turnsOfWords } from './words.ts'

const Element = z.object({ type: z.string(), value: z.string(), ts: secondsField, end_ts: secondsField })
const Monologue = z.object({
  speaker,
  speaker_info: z.object({ display_name: z.string().nullish() }).nullish(),
  elements: z.array(z.unknown())
})

/** Rev AI: `monologues` of `elements`, which are words and the punctuation and blanks between them. */
export function readRevAi(json: JsonRecord) {
  const monologues = someObjects(json.monologues)
  if (!monologues?.every(said => Array.isArray(said.elements))) return null
  const turns = readEach(Monologue, monologues, 'monologues').flatMap((said, index) => {
    const name = said.speaker_info?.display_name ?? said.speaker
    const elements = readEach(Element, said.elements, 'monologues', index, 'elements')
    return turnsOfWords(
      elements.map(({ value: text, ts: start, end_ts: end }) => ({ speaker: name, start, end, text }))
    )
  })
  return completeTranscript({ turns })
}
