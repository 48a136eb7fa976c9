import { z } from 'zod'
import { completeTranscript, untimed } from '../turns.ts'
import {
  durationField,
  isRecord,
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

const channelLabel = z.number().int().nonnegative().nullish()
const Utterance = z.object({
  speaker,
  start: secondsField,
  end: secondsField,
  transcript: z.string(),
  channel: channelLabel
})
const Paragraph = z.object({
  speaker,
  sentences: z.array(z.object({ text: z.string(), start: secondsField, end: secondsField }))
})
const DeepgramWord = z.object({
  speaker,
  start: secondsField,
  end: secondsField,
  word: z.string(),
  punctuated_word: z.string().nullish()
})

/** Deepgram: `results.utterances`, else the paragraphs or words of each channel. */
export function readDeepgram(json: JsonRecord) {
  const results = isRecord(json.results) ? json.results : json
  const channels = objectsOf(results.channels)
  const utterances = someObjects(results.utterances)
  const isDeepgram =
    channels?.every(channel => 'alternatives' in channel) ?? utterances?.every(said => 'transcript' in said)
  if (!isDeepgram) return null
  const several = (channels?.length ?? 0) > 1
  const turns = utterances
    ? readEach(Utterance, utterances, 'results', 'utterances').map(({ transcript: text, channel, ...said }) => ({
        ...said,
        text,
        speaker: labelIn(several ? (channel ?? null) : null, said.speaker)
      }))
    : (channels ?? []).flatMap((channel, index) => turnsIn(channel, several ? index : null))
  const language = channels?.map(channel => stringOrNull(channel.detected_language)).find(code => code !== null)
  const { metadata } = json
  return completeTranscript({
    turns: several ? turns.sort((a, b) => (a.start ?? 0) - (b.start ?? 0)) : turns,
    language: language ?? (isRecord(metadata) ? stringOrNull(metadata.language) : null),
    durationSeconds: read(durationField, isRecord(metadata) ? metadata.duration : null)
  })
}

function turnsIn(channel: JsonRecord, index: number | null) {
  const [best = {}] = objectsOf(channel.alternatives) ?? []
  const label = (name: string | null) => labelIn(index, name)
  const paragraphs = isRecord(best.paragraphs) ? someObjects(best.paragraphs.paragraphs) : null
  if (paragraphs) {
    return readEach(Paragraph, paragraphs, 'paragraphs').flatMap(({ speaker: name, sentences }) =>
      sentences.map(sentence => ({ ...sentence, speaker: label(name) }))
    )
  }
  const words: Word[] = readEach(DeepgramWord, someObjects(best.words) ?? [], 'words').map(
    ({ word, punctuated_word: written, ...said }) => ({
      ...said,
      text: written ?? word,
      speaker: label(said.speaker)
    })
  )
  return words.length > 0 ? turnsOfWords(words) : untimed(stringOrNull(best.transcript) ?? '')
}

/** Each channel has a speaker of its own, if there are several. */
function labelIn(channel: number | null, name: string | null) {
  if (channel === null) return name
  return name === null || name === 'Speaker 0' ? `Channel ${channel}` : `Channel ${channel}, ${name}`
}
