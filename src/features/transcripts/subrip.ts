import { clockText } from '../../platform/text/clock-text.ts'
import type { TimedSegment } from '../../platform/text/segment.ts'
import { type Cue, toCues } from './cues.ts'
import { assignSpeakers, LABEL_MARK, markLabel } from './speaker-labels.ts'
import { firstHour } from './tape-clock.ts'

const MAX_LABEL_CHARACTERS = 40
const LABEL_END = ': '

interface Caption extends Cue {
  /** The label where the speaker changes, else nothing. */
  label: string
}

/**
 * Writes captions with the name of the speaker where it changes. Word joiners, which no player shows, make an import of the file exact: before
 * the colon of a label that is not recognised without, after the first part of a word, and after a caption of a segment without a length.
 */
export function toSrt(segments: readonly TimedSegment[]) {
  const cues = toCues(segments, speaker => labelOf(speaker).length + LABEL_END.length)
  const captions = cues.map((cue, index) => ({
    ...cue,
    label: cue.speaker === cues[index - 1]?.speaker ? '' : labelOf(cue.speaker)
  }))
  // An import takes hours before the first word for those of a clock, unless the labels have marks.
  const isLate = firstHour((captions[0]?.start ?? 0) / 1000) > 0
  const isPlain = !isLate && readsPlainly(captions)
  const blocks = captions.map((caption, index) => {
    const { start, end, text, label } = caption
    const said = isPlain ? `${label && label + LABEL_END}${text}` : `${label && markLabel(label) + LABEL_END}${text}`
    return `${clockText(start, ',')} --> ${clockText(end, ',')}\n${withoutMarkup(said)}${joinerOf(caption, captions[index + 1])}\n`
  })
  // ffmpeg warns of a cue that is the same as the one before.
  const different = blocks.filter((block, index) => block !== blocks[index - 1])
  return different.map((block, index) => `${index + 1}\n${block}`).join('\n')
}

/** SubRip has no escapes, so an arrow, which would begin a cue, tags and overrides are written with other characters. */
function withoutMarkup(text: string) {
  return text
    .replaceAll('-->', '→')
    .replaceAll('{\\', '｛\\')
    .replace(/<([^<>]*)>/g, '‹$1›')
    .replace(/&(?=#|[a-z])/gi, `&${LABEL_MARK}`)
}

/** The name of a speaker. A long one is shortened, because it counts as text. */
function labelOf(speaker: string) {
  return speaker.length <= MAX_LABEL_CHARACTERS
    ? speaker
    : `${speaker.slice(0, MAX_LABEL_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

function joinerOf({ segment, ends, start }: Caption, next: Caption | undefined) {
  if (next?.segment === segment && !next.spaced) return LABEL_MARK
  return ends !== null && ends === start ? LABEL_MARK.repeat(2) : ''
}

/** Returns whether an import reads each caption as it was said, without any mark on labels. */
function readsPlainly(captions: readonly Caption[]) {
  const joined: { speaker: string; label: string; text: string }[] = []
  for (const [index, { speaker, label, text }] of captions.entries()) {
    const before = captions[index - 1]
    const open = before && joinerOf(before, captions[index]) === LABEL_MARK ? joined.at(-1) : undefined
    if (open) open.text += text
    else joined.push({ speaker, label, text })
  }
  const read = assignSpeakers(joined.map(({ label, text }) => withoutMarkup(`${label && label + LABEL_END}${text}`)))
  const isExact = joined.every(({ speaker, text }, index) => {
    const [part, ...others] = read[index] ?? []
    const isWhole = part?.speaker === withoutMarkup(labelOf(speaker)) && part.text.trim() === withoutMarkup(text)
    return others.length === 0 && isWhole
  })
  return isExact && !mayRepeat(captions)
}

/** Returns whether captions may look like states of a screen, which an import folds. */
function mayRepeat(captions: readonly Caption[]) {
  const pairs = captions
    .slice(1)
    .map((caption, index) => ({ before: captions[index]?.text ?? '', after: caption.text }))
  const similar = pairs.filter(({ before, after }) => before.includes(after.split(' ', 1)[0] ?? ''))
  return (
    pairs.some(({ before, after }) => before === after) || (similar.length > 1 && similar.length > pairs.length / 4)
  )
}
