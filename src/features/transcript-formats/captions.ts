import { withTimes } from '../../contract/transcript.ts'
import { primaryLanguage } from '../../platform/text/language-code.ts'
import { knownSpeaker } from '../../platform/text/speaker-name.ts'
import { assignSpeakers, hasMarkedLabel, LABEL_MARK } from '../transcripts/speaker-labels.ts'
import { readMetadata, speakersOfIds } from './cue-speakers.ts'
import { isStrictVtt, type ParsedCue, type ParsedCues, readLooseCues, readVttCues, withoutComments } from './cues.ts'
import { sinceFirstHour } from './first-hour.ts'
import { type CueTurns, foldCues } from './fold-cues.ts'
import { parseVoices } from './markup.ts'
import { describeStrays } from './strays.ts'
import { lastEnd, type ParsedTranscript, toSegments, UnreadableTranscript } from './transcript.ts'

/** A speaker is null if unknown. Speakers come from voice tags, or in a file without any from labels. */
function transcriptOf({ cues, strays }: ParsedCues, language: string | null): ParsedTranscript {
  if (cues.length === 0)
    throw new UnreadableTranscript('The file has no cue: each starts with a line like 00:00:01.000 --> 00:00:04.000.')
  const metadata = readMetadata(cues)
  if (metadata) return ofMetadata(cues, strays, metadata)
  const isOwn = cues.every(({ place }) => place !== null)
  // Files of this server have identifiers in WebVTT, and marks in SubRip where they are needed.
  const isMarked = cues.some(({ lines }) => hasMarkedLabel(lines[0] ?? ''))
  const turns = turnsOf(isOwn ? joinParts(cues) : joinWords(cues), isOwn)
  const isOurs = isOwn || isMarked
  const segments = withTimes(toSegments(isOurs ? turns.flat() : sinceFirstHour(foldCues(turns))))
  return { segments, language, durationSeconds: lastEnd(segments), warnings: describeStrays(strays) }
}

function ofMetadata(
  cues: readonly ParsedCue[],
  strays: ParsedCues['strays'],
  { spoken, language, startedAt }: NonNullable<ReturnType<typeof readMetadata>>
): ParsedTranscript {
  const turns = cues.map(({ start, end }, index) => ({ speaker: null, text: '', ...spoken[index], start, end }))
  const segments = withTimes(toSegments(turns))
  const durationSeconds = lastEnd(segments)
  return { segments, language: primaryLanguage(language), durationSeconds, startedAt, warnings: describeStrays(strays) }
}

/** The turns of each cue. */
function turnsOf(cues: readonly ParsedCue[], isOwn: boolean): CueTurns[] {
  const voiced = cues.map(({ lines }) => parseVoices(lines.join('\n')))
  const hasVoices = voiced.some(parts => parts.some(({ speaker }) => speaker !== null))
  const parts = hasVoices
    ? voiced
    : labelled(
        cues,
        voiced.map(said => said.map(({ text }) => text).join('\n'))
      )
  return cues.map(({ start, end }, index) =>
    (parts[index] ?? []).map(({ speaker: label, text }) => {
      const speaker = hasVoices && !isOwn ? knownSpeaker(label) : label
      return { start, end, speaker: speaker && withoutMarks(speaker), text: withoutMarks(text) }
    })
  )
}

/** Names stand before the texts, or else in the identifiers of the cues. */
function labelled(cues: readonly ParsedCue[], texts: string[]) {
  const parts = assignSpeakers(texts)
  const isNobody = parts.every(said => said.every(({ speaker }) => speaker === null))
  const speakers = isNobody && cues.some(({ id }) => id !== null) ? speakersOfIds(cues) : null
  return speakers ? texts.map((text, index) => [{ speaker: speakers[index] ?? null, text }]) : parts
}

function withoutMarks(text: string) {
  return text.replaceAll(LABEL_MARK, '')
}

const LANGUAGE = /^Language:[ \t]*([a-z]{2,3}(?:-[a-z\d]{1,8}){0,3})[ \t]*$/i
const NEWLINE = /\r\n|\r|\n/

export function parseVtt(content: string): ParsedTranscript {
  const lines = content.split(NEWLINE)
  if (isStrictVtt(lines)) return transcriptOf(readVttCues(lines), languageIn(lines))
  return transcriptOf(readLooseCues(withoutComments(lines)), null)
}

/** Joins cues that this server has split for their length, and puts segments into their own order. */
function joinParts(cues: ParsedCue[]): ParsedCue[] {
  const segments = new Map<number, { first: ParsedCue; voice: string }>()
  const joined = cues.filter(cue => {
    if (!cue.place) return true
    const { segment, part, ends } = cue.place
    if (ends !== null) cue.end = ends / 1_000
    const [voice = ''] = LEADING_VOICE.exec(cue.lines[0] ?? '') ?? []
    const open = part === 1 ? undefined : segments.get(segment)
    // An editor may have given a part to somebody else.
    if (open?.voice !== voice) {
      segments.set(segment, { first: cue, voice })
      return true
    }
    append(open.first, cue, voice)
    return false
  })
  return joined.sort((a, b) => (a.place?.segment ?? 0) - (b.place?.segment ?? 0))
}

/** Reads the word joiners at the end of a caption: one if its last word goes on in the next caption, two if its segment has no length. */
function joinWords(cues: ParsedCue[]): ParsedCue[] {
  if (!cues.some(({ lines }) => lines.some(line => line.endsWith(LABEL_MARK)))) return cues
  let goesOn: ParsedCue | null = null
  return cues.filter(cue => {
    const first: ParsedCue | null = goesOn
    const last = cue.lines.findLast(line => line.trim() !== '') ?? ''
    if (last.endsWith(LABEL_MARK.repeat(2))) cue.end = first ? first.start : cue.start
    goesOn = last.endsWith(LABEL_MARK) && !last.endsWith(LABEL_MARK.repeat(2)) ? (first ?? cue) : null
    if (!first) return true
    const text = cue.lines.filter(line => line !== '').join('\n')
    first.lines = [`${first.lines.filter(line => line !== '').join('\n')}${text}`]
    first.end = cue.end
    return false
  })
}

const LEADING_VOICE = /^<v [^<>]*>/

function append(first: ParsedCue, { lines: [opening = '', ...lines], end, place }: ParsedCue, voice: string) {
  const text = opening.slice(voice.length)
  if (place?.spaced) first.lines.push(text)
  else first.lines.push((first.lines.pop() ?? '') + text)
  for (const line of lines) first.lines.push(line)
  first.end = end
}

/** The header may name the language, as in YouTube captions. */
function languageIn(lines: string[]) {
  const end = lines.findIndex(line => line.trim() === '')
  const header = lines.slice(0, end === -1 ? 0 : end)
  for (const line of header) {
    const [, language] = LANGUAGE.exec(line) ?? []
    if (language !== undefined) return language
  }
  return null
}

export function parseSrt(content: string): ParsedTranscript {
  return transcriptOf(readLooseCues(content.split(NEWLINE)), null)
}
