import { z } from 'zod'
import type { Turn } from '../transcript.ts'
import { completeTranscript } from '../turns.ts'
import {
  isRecord,
  type JsonRecord,
  objectsOf,
  read,
  secondsField,
  someObjects,
  speaker,
  stringOrNull
} from './fields.ts'
import { turnsOfWords, type Word } from './words.ts'

/** "1.300s", or an object of seconds and nanoseconds from the client libraries. */
const time = z.preprocess(
  value => (isRecord(value) ? Number(value.seconds ?? 0) + Number(value.nanos ?? 0) / 1e9 : value),
  secondsField
)

/** Google Speech-to-Text: `results` with `alternatives`; version 2 keeps them by the address of the audio. */
export function readGoogle(json: JsonRecord): ReturnType<typeof completeTranscript> | null {
  const results = someObjects(json.results)
  if (!results?.every(result => 'alternatives' in result || isEnd(result))) return null
  const best = results.map(result => objectsOf(result.alternatives)?.[0] ?? {})
  if (!best.some(alternative => 'transcript' in alternative || 'words' in alternative)) return null
  const words = best.map((alternative, index) => readWords(someObjects(alternative.words) ?? [], results[index]))
  const language = results
    .map(result => stringOrNull(result.languageCode ?? result.language_code))
    .find(code => code !== null)
  return completeTranscript({ turns: turnsOf(results, best, words), language: language ?? null })
}

/** A result that only tells where the audio ends. */
function isEnd(result: JsonRecord) {
  return ['resultEndTime', 'resultEndOffset', 'result_end_time', 'result_end_offset'].some(key => key in result)
}

function readWords(words: JsonRecord[], result: JsonRecord | undefined): Word[] {
  return words.map((word, index) => ({
    speaker: read(
      speaker,
      word.speakerLabel || word.speakerTag || word.speaker_label || word.speaker_tag || result?.speakerTag
    ),
    start:
      read(
        time,
        word.startTime ?? word.startOffset ?? word.start_time ?? word.start_offset,
        'words',
        index,
        'startTime'
      ) ?? 0,
    end: read(time, word.endTime ?? word.endOffset ?? word.end_time ?? word.end_offset, 'words', index, 'endTime'),
    text: read(z.string(), word.word, 'words', index, 'word')
  }))
}

function turnsOf(results: JsonRecord[], best: JsonRecord[], words: Word[][]): Turn[] {
  const last = words.at(-1) ?? []
  // With diarization, the last result of version 1 repeats the words of all others, with their speakers.
  const before = words.slice(0, -1).reduce((sum, list) => sum + list.length, 0)
  const repeats = before > 0 && last.length >= before && last.some(word => word.speaker !== null)
  if (
    repeats &&
    words
      .slice(0, -1)
      .flat()
      .every(word => word.speaker === null)
  )
    return turnsOfWords(last)
  let end: number | null = 0
  return best.flatMap((alternative, index) => {
    const result = results[index] ?? {}
    const from = end
    end = read(
      time,
      result.resultEndTime ?? result.resultEndOffset ?? result.result_end_time ?? result.result_end_offset
    )
    if (words[index]?.length) {
      end ??= words[index].at(-1)?.end ?? null
      return turnsOfWords(words[index])
    }
    return [{ speaker: null, start: end === null ? null : from, end, text: stringOrNull(alternative.transcript) ?? '' }]
  })
}
