import { z } from 'zod'
import { completeTranscript, untimed } from '../turns.ts'
import {
  isRecord,
  type JsonRecord,
  millisecondsField,
  objectsOf,
  read,
  readEach,
  secondsField,
  someObjects,
  speaker,
  stringOrNull
} from './fields.ts'
import { turnsOfWords, type Word } from './words.ts'

const Item = z.object({
  start_time: secondsField,
  end_time: secondsField,
  speaker_label: speaker,
  channel_label: speaker,
  alternatives: z.array(z.object({ content: z.string() }))
})
const CallTurn = z.object({
  ParticipantRole: speaker,
  BeginOffsetMillis: millisecondsField,
  EndOffsetMillis: millisecondsField,
  Content: z.string()
})

/** Amazon Transcribe: `results.items`, one per word or punctuation mark; or the `Transcript` of its call analytics. */
export function readAws(json: JsonRecord) {
  return readJob(json) ?? readCall(json)
}

function readJob({ results }: JsonRecord) {
  if (!isRecord(results) || !(objectsOf(results.transcripts) || objectsOf(results.items))) return null
  const items = objectsOf(results.items) ?? []
  if (!items.every(item => 'alternatives' in item)) return null
  const words = readWords(results, items)
  const whole = (objectsOf(results.transcripts) ?? []).map(({ transcript }) => stringOrNull(transcript) ?? '').join(' ')
  const turns = words.length > 0 ? turnsOfWords(words) : untimed(whole)
  const warnings = words.length > 0 ? describeMissing(whole, words) : []
  return completeTranscript({ turns, language: stringOrNull(results.language_code), warnings })
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu
const MAX_SHOWN = 200

/** The whole text may have words that no item has. */
function describeMissing(whole: string, words: readonly Word[]) {
  const counts = new Map<string, number>()
  for (const [word] of words
    .map(({ text }) => text)
    .join(' ')
    .toLowerCase()
    .matchAll(WORD))
    counts.set(word, (counts.get(word) ?? 0) + 1)
  const missing: string[] = []
  for (const [word] of whole.matchAll(WORD)) {
    const left = counts.get(word.toLowerCase()) ?? 0
    if (left > 0) counts.set(word.toLowerCase(), left - 1)
    else missing.push(word)
  }
  if (missing.length === 0) return []
  const shown = missing.join(' ')
  return [
    `results.transcripts: ${missing.length} words are left out, because results.items has no times for them: ${shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN).toWellFormed()}…` : shown}`
  ]
}

function readWords(results: JsonRecord, items: JsonRecord[]): Word[] {
  const labels = labelsByTime(results)
  let before: string | null = null
  return readEach(Item, items, 'results', 'items').map(item => {
    const [best] = item.alternatives
    const label =
      item.speaker_label ?? item.channel_label ?? (item.start_time === null ? null : labels.get(item.start_time))
    // A punctuation mark has neither time nor, in older results, a label.
    if (item.start_time !== null || label) before = label ?? null
    return { speaker: before, start: item.start_time, end: item.end_time, text: best?.content ?? '' }
  })
}

/** Older results name the speakers in a list of their own, item by item. */
function labelsByTime({ speaker_labels: labels, channel_labels: channels }: JsonRecord) {
  const byTime = new Map<number, string | null>()
  const parts = isRecord(labels) ? objectsOf(labels.segments) : isRecord(channels) ? objectsOf(channels.channels) : null
  for (const part of parts ?? []) {
    for (const item of objectsOf(part.items) ?? []) {
      const start = read(secondsField, item.start_time)
      const name = read(speaker, item.speaker_label ?? part.speaker_label ?? part.channel_label)
      if (start !== null) byTime.set(start, name)
    }
  }
  return byTime
}

function readCall(json: JsonRecord) {
  const turns = someObjects(json.Transcript)
  if (!turns?.every(turn => 'Content' in turn && 'BeginOffsetMillis' in turn)) return null
  const said = readEach(CallTurn, turns, 'Transcript').map(turn => ({
    speaker: turn.ParticipantRole,
    start: turn.BeginOffsetMillis,
    end: turn.EndOffsetMillis,
    text: turn.Content
  }))
  return completeTranscript({ turns: said, language: stringOrNull(json.LanguageCode) })
}
