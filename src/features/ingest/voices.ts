import { DEFAULT_SPEAKER } from '../../contract/import-document.ts'
import type { Segment } from '../../platform/text/segment.ts'
import { isVoiceLabel } from '../../platform/text/speaker-name.ts'

/** OpenAI labels unknown voices with capital letters, which the reader of answers calls Speaker A. */
const LETTER = /^(?:Speaker )?[A-Z]$/
const NUMBERED = /^Speaker (\d+)$/

/** Names voices that have only a letter: Speaker 1, Speaker 2, in the order in which they are heard. */
export function nameVoices(segments: readonly Segment[]): Segment[] {
  return rename(segments, new Map(), label => LETTER.test(label), 0)
}

/**
 * Names the voices of a part. A label that the request gave to a voice is that speaker; any other made-up label is somebody who was not
 * heard before, because each part has its own labels. Names of people stay.
 */
export function nameVoicesOfPart(
  segments: readonly Segment[],
  known: readonly string[],
  told: ReadonlyMap<string, string> = new Map()
): Segment[] {
  const numbers = known.map(name => Number(NUMBERED.exec(name)?.[1] ?? 0))
  const isMade = (label: string) => label !== DEFAULT_SPEAKER && (LETTER.test(label) || isVoiceLabel(label))
  return rename(segments, new Map(told), isMade, Math.max(0, ...numbers))
}

function rename(
  segments: readonly Segment[],
  names: Map<string, string>,
  isMade: (label: string) => boolean,
  last: number
) {
  let number = last
  return segments.map(segment => {
    const { speaker } = segment
    if (!names.has(speaker) && isMade(speaker)) names.set(speaker, `Speaker ${++number}`)
    return { ...segment, speaker: names.get(speaker) ?? speaker }
  })
}

/** A label for a request, which may be no more than an identifier. */
export function toLabel(name: string) {
  return name.toLowerCase().replaceAll(' ', '_')
}

interface Sample {
  name: string
  start: number
  end: number
}

/** Seconds of a sample of a voice: OpenAI takes 2 to 10. */
const MIN_SAMPLE = 2
const MAX_SAMPLE = 5

/** The longest uninterrupted speech of each speaker, of those first who speak most. */
export function chooseSamples(segments: readonly Segment[], max: number): Sample[] {
  const speakers = new Map<string, { total: number; longest: Sample }>()
  for (const { speaker: name, start, end } of segments) {
    if (start === null || end === null || name === DEFAULT_SPEAKER) continue
    const { total = 0, longest } = speakers.get(name) ?? {}
    const isLonger = !longest || end - start > longest.end - longest.start
    speakers.set(name, { total: total + end - start, longest: isLonger ? { name, start, end } : longest })
  }
  return [...speakers.values()]
    .toSorted((a, b) => b.total - a.total)
    .map(({ longest }) => longest)
    .filter(({ start, end }) => end - start >= MIN_SAMPLE)
    .slice(0, max)
    .map(({ name, start, end }) => {
      const spare = Math.max(0, end - start - MAX_SAMPLE) / 2
      return { name, start: start + spare, end: end - spare }
    })
}
