import { z } from 'zod'
import { completeTranscript, untimed } from '../turns.ts'
import {
  areMilliseconds,
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
import { turnsOfWords } from './words.ts'

const Said = z.object({ speaker, start: millisecondsField, end: millisecondsField, text: z.string() })

const MARKS = [
  'audio_duration',
  'audio_url',
  'acoustic_model',
  'speech_model',
  'speech_models',
  'language_code',
  'confidence',
  'status'
]
const PARTS = ['utterances', 'sentences', 'paragraphs', 'words']

/** AssemblyAI: `utterances` with speakers, else `words`. Its times are milliseconds. */
export function readAssemblyAi(json: JsonRecord) {
  const listed = PARTS.map(key => objectsOf(json[key])).filter(list => list !== null)
  const entries = listed.flat()
  if (!(listed.length > 0 || 'acoustic_model' in json)) return null
  if (!MARKS.some(mark => mark in json) && !(listed.length > 0 && areMilliseconds(entries))) return null
  if (!entries.every(entry => 'text' in entry && isWhole(entry.start) && isWhole(entry.end) && !('type' in entry)))
    return null
  const part = PARTS.find(key => someObjects(json[key]))
  const said =
    part === undefined ? untimed(stringOrNull(json.text) ?? '') : readEach(Said, objectsOf(json[part]) ?? [], part)
  return completeTranscript({
    turns: part === 'words' ? turnsOfWords(said) : said,
    language: stringOrNull(json.language_code),
    durationSeconds: read(durationField, json.audio_duration)
  })
}

function isWhole(time: unknown) {
  return time === null || time === undefined || Number.isInteger(time)
}
