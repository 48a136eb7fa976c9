import {
  isHeading,
  isName,
  isPersonName,
  isVoiceLabel,
  knownSpeaker,
  trimMarks
} from '../../platform/text/speaker-name.ts'

/** The words of one speaker within a unit. The speaker is null if unknown. */
export interface SpokenPart {
  speaker: string | null
  text: string
}

/** A name before the text of a line. */
interface Label {
  name: string
  text: string
  form: 'colon' | 'bracket'
  /** True if the name is one by its letters alone, and false if only its file can show that. */
  isSure: boolean
}

interface Line {
  whole: string
  /** Another speaker begins after a dash or `>>`. */
  turn: { mark: '-' | '>>'; text: string } | null
  label: Label | null
}

/**
 * An invisible character between name and colon. This server writes it on all labels of a file in which a reader could not recognise each of
 * them.
 */
export const LABEL_MARK = '\u2060'

/** Returns whether a text has a label with the mark of this server. */
export function hasMarkedLabel(text: string) {
  return text.includes(`${LABEL_MARK}:`)
}

/** Writes a name as a label that a reader recognises whatever its letters are. */
export function markLabel(name: string) {
  return `${name.replaceAll(LABEL_MARK, '')}${LABEL_MARK}`
}

/**
 * Splits the units of a file, such as cues or lines, into what each speaker says. Whether `Name:` before a text names a speaker is a property
 * of the whole file: of how many units begin so, and of how often a label comes again. A unit without a label continues the speaker before it.
 * `dashes`: a dash before a line may begin a turn, as in subtitles.
 */
export function assignSpeakers(units: readonly string[], { dashes = true } = {}): SpokenPart[][] {
  if (units.some(hasMarkedLabel)) return readMarked(units)
  const hasArrows = units.some(unit => /^[^\S\n]*>>/m.test(unit))
  const read = units.map(unit => splitTurns(unit, hasArrows).map(readLine))
  const isSpeaker = chooseLabels(read)
  const hasDashes = dashes && usesDashes(read)
  let speaker: string | null = null
  return read.map(lines => {
    const parts: SpokenPart[] = []
    for (const { whole, turn, label } of lines) {
      const last = parts.at(-1)
      if (label && ((turn?.mark === '>>' && label.isSure) || isSpeaker(label, last === undefined))) {
        speaker = knownSpeaker(label.name)
        parts.push({ speaker, text: label.text })
      } else if (turn && (turn.mark === '>>' || hasDashes)) {
        speaker = null
        parts.push({ speaker, text: turn.text })
      } else if (last) last.text += `\n${whole}`
      else parts.push({ speaker, text: whole })
    }
    return parts
  })
}

/** Returns for each line where a turn begins its speaker and text, and null for the others. The rule is that of `assignSpeakers`. */
export function findTurns(lines: readonly string[]): (SpokenPart | null)[] {
  const read = lines.map(line => [readLine(line)])
  const isSpeaker = chooseLabels(read)
  return read.map(([line]) => {
    if (line?.label && ((line.turn?.mark === '>>' && line.label.isSure) || isSpeaker(line.label, true)))
      return { speaker: knownSpeaker(line.label.name), text: line.label.text }
    return line?.turn?.mark === '>>' ? { speaker: null, text: line.turn.text } : null
  })
}

/** Returns whether a reader takes each of these lines for a turn of the speaker before its colon. */
export function readsAs(turns: readonly { speaker: string; line: string }[]) {
  const found = findTurns(turns.map(({ line }) => line))
  return turns.every(({ speaker }, index) => found[index]?.speaker === speaker)
}

/** Reads the units of a file of this server. Nothing but a marked label begins a turn. */
function readMarked(units: readonly string[]): SpokenPart[][] {
  let speaker: string | null = null
  return units.map(unit => {
    const at = unit.slice(0, MAX_MARKED_LABEL).indexOf(`${LABEL_MARK}:`)
    if (at > 0) speaker = trimMarks(unit.slice(0, at))
    return [{ speaker, text: at > 0 ? unit.slice(at + 2) : unit }]
  })
}

const MARKED_TURN = /\[SPEAKER_TURN\][ \t]*/g

function splitTurns(unit: string, hasArrows: boolean) {
  const split = unit.includes('[SPEAKER_TURN]') ? unit.replace(MARKED_TURN, '\n>> ') : unit
  return (hasArrows ? split.replace(/ >>+ /g, '\n>> ') : split).split('\n')
}

const TURN = /^[\s\u200b-\u200f\u202a-\u202e\u2066-\u2069]*(?:(>>+)|[-‐‑–—](?=\s|["'“«¿¡([\p{L}]))\s*/u

function readLine(whole: string): Line {
  const [found, arrows] = TURN.exec(whole) ?? []
  const text = whole.slice(found?.length ?? 0)
  return {
    whole,
    turn: found === undefined ? null : { mark: arrows ? '>>' : '-', text },
    label: readLabel(text)
  }
}

const MAX_LABEL = 140
const MAX_MARKED_LABEL = 300
const BOLD = /^\s*\*\*([^*]{1,140})\*\*/
const BRACKETED = /^\s*[[(<]([^[\]()<>]{1,80})[\])>]\s*([:：]?)\s*/

function readLabel(line: string): Label | null {
  const head = line.slice(0, MAX_LABEL * 2)
  const [brackets, inBrackets = '', colon] = BRACKETED.exec(head) ?? []
  const isVoice = isNumberedVoice(inBrackets)
  if (brackets && (colon || isVoice || (isName(inBrackets) && isPersonName(inBrackets)))) {
    const isSure = isName(inBrackets) || isVoice
    return { name: inBrackets, text: line.slice(brackets.length), form: colon ? 'colon' : 'bracket', isSure }
  }
  const [bold, inBold] = BOLD.exec(head) ?? []
  const plain = bold === undefined ? line : `${inBold}${line.slice(bold.length)}`
  const at = findColon(plain.slice(0, MAX_LABEL + 1))
  if (at < 1) return null
  const name = trimMarks(plain.slice(0, at))
  return isPlausible(name)
    ? { name, text: plain.slice(at + 1).replace(/^[\u200e\u200f]+/, ''), form: 'colon', isSure: isName(name) }
    : null
}

/**
 * The first colon after which a text may begin. No space follows the colon of a clock time or URL; after a wide colon, and after a name in some
 * subtitles, there is none either.
 */
function findColon(head: string) {
  for (const { index, 0: colon } of head.matchAll(/[:：]/g)) {
    const next = head[index + 1] ?? ' '
    if (colon === '：' || /[\s\u200e\u200f]/.test(next)) return index
    if (/\p{L}/u.test(next) && isName(trimMarks(head.slice(0, index)))) return index
  }
  return -1
}

const MAX_WORDS = 8
/** Times and arrows stand before a name, and are no part of it. */
const STARTS_WITH_TIME = /^(?:[[(#]?\d{1,4}:\d{2}|[[(]\d{4}-\d{2}-\d{2}|-?->|→)/
const SENTENCE = /[!?;。！？；]|…\s|(?<=\p{L}{5})\.\s|:\/\//u

function isPlausible(name: string) {
  return (
    name !== '' &&
    /[^\p{P}\s]/u.test(name) &&
    !STARTS_WITH_TIME.test(name) &&
    !SENTENCE.test(name) &&
    name.split(/\s+/).length <= MAX_WORDS
  )
}

/** Returns whether a label is of those that programs give to voices, such as SPEAKER_00 and Speaker 1. */
function isNumberedVoice(name: string) {
  return (isVoiceLabel(name) && /[\p{N}_]|\s\p{L}$/u.test(name)) || /^speaker[ _]\?+$/i.test(name)
}

/** Returns the rule by which the labels of this file are speakers; `opens` is true for the first line of a unit. */
function chooseLabels(units: readonly Line[][]): (label: Label, opens: boolean) => boolean {
  const openings = units.flatMap(lines => lines.find(({ whole }) => whole.trim() !== '') ?? [])
  const labels = openings.flatMap(({ label }) => label ?? [])
  const everyLabel = units.flatMap(lines => lines.flatMap(({ label }) => label ?? []))
  const counts = new Map<string, number>()
  for (const { name } of everyLabel) counts.set(name, (counts.get(name) ?? 0) + 1)
  const isRepeated = ({ name }: Label) => (counts.get(name) ?? 0) > 1
  const covered = labels.length / Math.max(openings.length, 1)
  const isLikely = (label: Label) => (label.isSure || isRepeated(label)) && !isHeading(label.name)
  const accepts = chooseOpening()
  const accepted = labels.filter(accepts)
  const known = new Set(accepted.map(({ name }) => name))
  const capitals = accepted.filter(({ name }) => isInCapitals(name)).length > accepted.length / 2
  return (label, opens) => {
    if (isNumberedVoice(label.name) || known.has(label.name)) return true
    if (opens) return accepts(label)
    // A second name within a cue has the form of the others.
    return accepted.length > 0 && isLikely(label) && (isRepeated(label) || isInCapitals(label.name) === capitals)
  }

  function chooseOpening(): (label: Label) => boolean {
    const headings = labels.filter(({ name }) => isHeading(name)).length
    const likely = labels.filter(isLikely)
    const everyone = openings.length > 1 && (covered === 1 || (covered >= 0.9 && openings.length >= 10))
    if (everyone && headings <= labels.length / 2) return label => covered === 1 || label.isSure || isRepeated(label)
    if (openings.length === 1 || covered >= 0.8) return isLikely
    const isLabelled = covered >= 0.5 ? likely.length >= openings.length * 0.4 : namesTurns(openings, likely)
    return isLabelled ? isLikely : () => false
  }
}

/**
 * Returns whether labels stand where the speaker changes: the speech begins with one or they come again and again, and mostly another one
 * follows. A film with a few colons in it has no such labels.
 */
function namesTurns(openings: readonly Line[], likely: readonly Label[]) {
  const names = likely.map(({ name }) => name)
  const changes = names.filter((name, index) => index > 0 && name !== names[index - 1]).length
  const share = names.length / openings.length
  const distinct = new Set(names)
  const repeated = [...distinct].filter(name => names.indexOf(name) !== names.lastIndexOf(name)).length
  if (distinct.size < 2 || changes < (names.length - 1) / 2) return false
  const first = openings[0]?.label
  const begins = first != null && distinct.has(first.name) && likely.includes(first)
  return begins ? repeated >= 1 || share >= 0.15 : repeated >= 2 && share >= 0.05
}

function isInCapitals(name: string) {
  return name === name.toUpperCase() && name !== name.toLowerCase()
}

/** Returns whether dashes begin turns in this file: two lines of a cue have one, or many cues begin with one. */
function usesDashes(units: readonly Line[][]) {
  const isDash = ({ turn }: Line) => turn?.mark === '-'
  const begins = units.filter(([first]) => first !== undefined && isDash(first))
  const within = units.filter(([, ...others]) => others.some(isDash))
  if (within.some(([first]) => first !== undefined && isDash(first)) || within.length > units.length / 20) return true
  return begins.length > 1 && begins.length > units.length / 5
}
