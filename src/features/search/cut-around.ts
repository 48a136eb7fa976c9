/** The characters shown before the best sentence, so that it is understood. */
const BEFORE_BEST = 80
/** The characters by which the best sentence is found in its passage, which has lines where it has spaces: the most that are found. */
const RECOGNISED = [40, 20, 10]

/** The part of a passage round the sentence that answers best, cut at words. */
export function cutAround(passage: string, best: { speaker: string; text: string }, characters: number) {
  if (passage.length <= characters) return passage
  const room = characters - 2
  const named = `${best.speaker}: `
  const sentence = best.text.startsWith(named) ? best.text.slice(named.length) : best.text
  const joined = passage.replaceAll('\n', ' ')
  const places = RECOGNISED.map(length => joined.indexOf(sentence.slice(0, length)))
  const at = places.find(place => place >= 0) ?? 0
  const from = Math.min(Math.max(0, at - BEFORE_BEST), passage.length - room)
  const begin = from === 0 ? 0 : wordAfter(passage, from, at)
  const end = begin + room >= passage.length ? passage.length : wordBefore(passage, begin + room)
  return `${begin > 0 ? '…' : ''}${passage.slice(begin, end)}${end < passage.length ? '…' : ''}`
}

/** The beginning of the next word, if it is not after a place. */
function wordAfter(text: string, from: number, last: number) {
  const space = text.slice(from, last).search(/\s/)
  return space < 0 ? from + Number(isLow(text, from)) : from + space + 1
}

function wordBefore(text: string, to: number) {
  const space = Math.max(text.lastIndexOf(' ', to), text.lastIndexOf('\n', to))
  return space > to / 2 ? space : to - Number(isLow(text, to))
}

/** Whether a place is within a character of two units. */
function isLow(text: string, at: number) {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}
