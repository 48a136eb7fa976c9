import { z } from 'zod'
import { completeTranscript } from '../turns.ts'
import {
  durationField,
  type JsonRecord,
  objectsOf,
  read,
  readEach,
  secondsField,
  someObjects,
  speaker,
  stringOrNull
} from './fields.ts'
import { turnsOfWords, type Word } from './words.ts'

const ScribeWord = z.object({
  text: z.string(),
  start: secondsField,
  end: secondsField,
  type: z.string(),
  speaker_id: speaker
})

/** ElevenLabs Scribe: `words` that are words, spacing or audio events; with several channels one such object each in `transcripts`. */
export function readElevenLabs(json: JsonRecord) {
  const parts = someObjects(json.transcripts) ?? [json]
  const lists = parts.map(part => someObjects(part.words))
  if (!lists.some(Boolean) || !lists.every(words => words === null || words.every(isScribe))) return null
  const turns = lists.flatMap((words, index) => turnsOfWords(readWords(words ?? [], parts.length > 1 ? index : null)))
  return completeTranscript({
    turns: parts.length > 1 ? turns.sort((a, b) => (a.start ?? 0) - (b.start ?? 0)) : turns,
    language: parts.map(part => stringOrNull(part.language_code)).find(code => code !== null) ?? null,
    durationSeconds: read(durationField, json.audio_duration_secs)
  })
}

function isScribe(word: JsonRecord) {
  return 'text' in word && ['word', 'spacing', 'audio_event', 'punctuation'].includes(String(word.type))
}

function readWords(words: JsonRecord[], channel: number | null): Word[] {
  let before: string | null = null
  return readEach(ScribeWord, objectsOf(words) ?? [], 'words').map(({ type, speaker_id: id, text, ...times }) => {
    // Spacing between two turns belongs to the one before it.
    if (type !== 'spacing' && (id !== null || type === 'word')) before = id
    const name = channel === null ? before : `Channel ${channel}`
    return { speaker: name, text, ...(type === 'spacing' ? { start: null, end: null } : times) }
  })
}
