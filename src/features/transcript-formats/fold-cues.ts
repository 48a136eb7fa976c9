import type { Turn } from './transcript.ts'

/** The turns of one cue. */
export type CueTurns = TimedTurn[]
type TimedTurn = Turn & { start: number; end: number }

/** Pauses that are shorter than this belong to the change of a caption. */
const TOUCHING_SECONDS = 0.15
/** A shorter text may be said twice, as "Yes." is. */
const MIN_REPEATED_CHARACTERS = 12
/** Shorter overlaps alone do not show that the cues are states of a screen. */
const MIN_SHOWN_CHARACTERS = 5
/** A longer part of a caption repeats itself in no known program. */
const MAX_OVERLAP_WORDS = 200
/** No caption has more speakers. */
const MAX_COMPARED = 8

interface Word {
  text: string
  /** The place in the text of the turn. */
  from: number
  /** True for the first word of a line. */
  opens: boolean
}

/** A turn and its words, which are split when they are first needed. */
class Shown {
  readonly turn: TimedTurn
  #words: Word[] | undefined

  constructor(turn: TimedTurn) {
    this.turn = turn
  }

  get words(): Word[] {
    this.#words ??= wordsOf(this.turn.text)
    return this.#words
  }
}

/**
 * Folds the states of a screen into what was said. In rolling captions a cue repeats the lines before it, and in highlighted ones the whole
 * text. Each word keeps the time at which it is first shown. In other files only a cue that is repeated whole, at a touching time, is folded.
 */
export function foldCues(cues: readonly CueTurns[]): TimedTurn[] {
  const states = cues.map(turns => turns.map(turn => new Shown(turn)))
  const isScreen = showsStates(states)
  const said: TimedTurn[] = []
  /** The last segment of each turn that is on the screen. */
  let segments = new Map<Shown, TimedTurn>()
  for (const [index, state] of states.entries()) {
    const current = new Map<Shown, TimedTurn>()
    for (const shown of state) {
      const before = findShown(states[index - 1], shown)
      const overlap = before ? overlapOf(before, shown) : 0
      const segment = before && segments.get(before)
      if (before && segment && isRepeated(before, shown, overlap, isScreen)) {
        current.set(shown, goOn(segment, shown, overlap, said))
      } else {
        const turn = { ...shown.turn }
        said.push(turn)
        current.set(shown, turn)
      }
    }
    segments = current
  }
  return said
}

/** Adds the new words of a caption: to the segment if they continue its line, else as a segment of their own. */
function goOn(segment: TimedTurn, { turn, words }: Pick<Shown, 'turn' | 'words'>, overlap: number, said: TimedTurn[]) {
  const fresh = words[overlap]
  if (fresh?.opens) {
    const next = { ...turn, text: turn.text.slice(fresh.from) }
    said.push(next)
    return next
  }
  if (fresh) segment.text += turn.text.slice(endOf(words[overlap - 1]))
  segment.end = Math.max(segment.end, turn.end)
  return segment
}

// In scripts without spaces each character is a word.
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu

function wordsOf(text: string): Word[] {
  let from = 0
  return text.split('\n').flatMap(line => {
    const words = [...line.matchAll(WORD)].map(({ 0: word, index }, at) => ({
      text: word,
      from: from + index,
      opens: at === 0
    }))
    from += line.length + 1
    return words
  })
}

function endOf(word: Word | undefined) {
  return word === undefined ? 0 : word.from + word.text.length
}

/** Returns the turn of the cue before that this one may repeat. */
function findShown(state: readonly Shown[] | undefined, { turn }: Shown) {
  return state?.slice(0, MAX_COMPARED).find(previous => touches(previous.turn, turn))
}

function touches(before: TimedTurn, after: TimedTurn) {
  return (
    before.speaker === after.speaker &&
    after.start >= before.start &&
    after.start <= Math.max(before.start, before.end) + TOUCHING_SECONDS
  )
}

/** Returns how many words at the end of a caption the next one begins with. */
function overlapOf(before: Shown, after: Shown) {
  // Most captions share nothing with the one before, which this finds at once.
  const [opening] = /\S{1,3}/.exec(after.turn.text) ?? []
  if (opening === undefined || !before.turn.text.includes(opening)) return 0
  const tail = before.words.slice(-MAX_OVERLAP_WORDS)
  const head = after.words.slice(0, MAX_OVERLAP_WORDS)
  // The prefix function of Knuth, Morris and Pratt, over the head, a gap and the tail.
  const all = [...head.map(({ text }) => text), null, ...tail.map(({ text }) => text)]
  const lengths = [0]
  for (let at = 1; at < all.length; at++) {
    let length = lengths[at - 1] ?? 0
    while (length > 0 && all[at] !== all[length]) length = lengths[length - 1] ?? 0
    lengths.push(all[at] === all[length] && all[at] !== null ? length + 1 : length)
  }
  return lengths.at(-1) ?? 0
}

function isRepeated(before: Shown, shown: Shown, overlap: number, isScreen: boolean) {
  if (overlap === 0) return false
  const { words, turn } = shown
  if (isScreen) return isStrong(before.words, words, overlap)
  const isWhole = overlap === words.length && overlap === before.words.length
  return isWhole && turn.text.length >= MIN_REPEATED_CHARACTERS
}

function textOf(words: readonly Word[]) {
  return words.map(({ text }) => text).join('')
}

function isStrong(before: readonly Word[], after: readonly Word[], overlap: number) {
  const shorter = Math.min(before.length, after.length)
  return overlap === shorter || (overlap >= 2 && overlap >= shorter / 2 && after[overlap]?.opens === true)
}

/** Returns whether the cues of a file are states of a screen: many of them repeat words of the one before. */
function showsStates(states: readonly Shown[][]) {
  let pairs = 0
  let strong = 0
  let repeated = 0
  for (const [index, state] of states.entries()) {
    for (const shown of state) {
      const before = findShown(states[index - 1], shown)
      if (index > 0) pairs++
      const overlap = before ? overlapOf(before, shown) : 0
      if (!before || overlap === 0 || !isStrong(before.words, shown.words, overlap)) continue
      strong++
      if (textOf(shown.words.slice(0, overlap)).length >= MIN_SHOWN_CHARACTERS) repeated++
    }
  }
  return repeated > 0 && strong >= 2 && strong >= pairs * 0.3
}
