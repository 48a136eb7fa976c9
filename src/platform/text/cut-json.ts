/** The place in an answer from which a page goes on: the index of a part, then the one within it, and so on. */
export type Place = readonly number[]

interface Piece {
  value: unknown
  /** The characters that it takes as JSON. */
  size: number
  /** The beginning of the next page. Undefined if nothing is left. */
  next?: Place | undefined
}

type Fields = Record<string, unknown>

/** Shorter texts, and lists of which all entries are shorter together, are on every page. */
const SHORT = 1_000
/** The least room that the beginning of a part is worth. */
const MIN_PIECE = 2_000

/**
 * Returns the part of an answer from a place on that takes at most `room` characters as JSON. Long texts and lists are cut, one after the other; on the
 * pages of the others they are empty. Everything else is on every page, so each page has the shape of the answer.
 */
export function cutJson(answer: Fields, from: Place, room: number): { value: Fields; next?: Place | undefined } {
  const { value, next } = cutObject(answer, from, room)
  return { value, next }
}

function cut(value: unknown, from: Place, room: number): Piece {
  if (typeof value === 'string') return cutText(value, from[0] ?? 0, room)
  if (Array.isArray(value)) return cutList(value, from, room)
  return isFields(value) ? cutObject(value, from, room) : { value, size: sizeOf(value) }
}

function cutObject(fields: Fields, [first = 0, ...inner]: Place, room: number): Piece & { value: Fields } {
  const entries = Object.entries(fields)
  const isLong = entries.map(([, value]) => isCuttable(value))
  const cutFields = Object.fromEntries(entries.map(([name, value], at) => [name, isLong[at] ? emptyOf(value) : value]))
  let size = sizeOf(cutFields)
  let next: Place | undefined
  for (const [at, [name, value]] of entries.entries()) {
    if (!isLong[at] || at < first) continue
    const piece = cut(value, at === first ? inner : [], room - size)
    cutFields[name] = piece.value
    size += piece.size
    if (piece.next) {
      next = [at, ...piece.next]
      break
    }
  }
  return { value: cutFields, size, next }
}

function cutList(list: readonly unknown[], [first = 0, ...inner]: Place, room: number): Piece {
  const value: unknown[] = []
  let size = 2
  for (let at = first; at < list.length; at++) {
    const rest = at === first ? inner : []
    const whole = rest.length === 0 ? sizeOf(list[at]) + 1 : Number.POSITIVE_INFINITY
    if (size + whole <= room) {
      value.push(list[at])
      size += whole
      continue
    }
    // An entry that fits on a page of its own stays whole.
    if (room - size < MIN_PIECE || (value.length > 0 && rest.length === 0 && whole < room))
      return { value, size, next: [at] }
    const piece = cut(list[at], rest, room - size - 1)
    value.push(piece.value)
    size += piece.size + 1
    if (piece.next) return { value, size, next: [at, ...piece.next] }
  }
  return { value, size }
}

function cutText(text: string, begin: number, room: number): Piece {
  if (room < MIN_PIECE && text.length > begin) return { value: '', size: 2, next: [begin] }
  const end = endWithin(text, begin, room)
  const value = text.slice(begin, end)
  return { value, size: sizeOf(value), ...(end < text.length && { next: [end] }) }
}

/** Returns the end of the part that fits: at the end of a line, else of a word, if one is in its second half. */
function endWithin(text: string, begin: number, room: number) {
  let end = Math.min(text.length, begin + room)
  while (sizeOf(text.slice(begin, end)) > room) end = begin + Math.floor((end - begin) * 0.9)
  if (end === text.length) return end
  for (const space of ['\n', ' ']) {
    const at = text.lastIndexOf(space, end - 1)
    if (at > begin + (end - begin) / 2) return at + 1
  }
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end
}

function isCuttable(value: unknown) {
  if (typeof value === 'string') return value.length > SHORT
  return Array.isArray(value) && (value.length > SHORT || sizeOf(value) > SHORT)
}

function emptyOf(value: unknown) {
  return typeof value === 'string' ? '' : []
}

function sizeOf(value: unknown) {
  return (JSON.stringify(value) ?? '').length
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}
