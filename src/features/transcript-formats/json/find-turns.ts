import { findTimes } from './clocks.ts'
import { isRecord, type JsonRecord, someObjects } from './fields.ts'
import { findSpeaker, findText, plainKey } from './keys.ts'

/** The list of a file that holds the turns or the words. */
export interface FoundList {
  entries: JsonRecord[]
  path: string[]
  /** True if each entry is a word, or a part of one. */
  areWords: boolean
}

const MAX_DEPTH = 5
/** The keys of lists within a turn, by what they say: whole sentences are better than words. */
const PART_KEYS = ['sentences', 'words', 'tokens', 'result', 'elements', 'timestamps']
const WORD_LISTS = new Set(['words', 'tokens', 'wordsegments', 'result', 'elements'])
/** Lists that hold no speech, though their entries have texts, and some also times. */
const OTHER_LISTS = new Set(
  (
    'actionitems tasks nextsteps todos chapters topics highlights keywords questions comments chat chatmessages messages notes outline ' +
    'summaries entities speakers participants attendees invitees calendarinvitees tags categories bookmarks sections annotations'
  ).split(' ')
)

/** Finds the list of turns, from the outer keys to the inner ones. Turns with speakers are better than words, and words than nothing. */
export function findTurns(json: unknown): FoundList | null {
  let level: { value: unknown; path: string[] }[] = [{ value: json, path: [] }]
  const found: FoundList[] = []
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0 && found.length === 0; depth++) {
    const next: typeof level = []
    for (const { value, path } of level) {
      const list = toList(value, path)
      if (list) found.push(list)
      else if (isRecord(value)) {
        for (const [key, inner] of Object.entries(value))
          if (typeof inner === 'object' && inner !== null) next.push({ value: inner, path: [...path, key] })
      } else if (Array.isArray(value) && value.length === 1) next.push({ value: value[0], path: [...path, '0'] })
    }
    level = next
  }
  return found.sort((a, b) => worth(b) - worth(a))[0] ?? null
}

function toList(value: unknown, path: string[]): FoundList | null {
  const key = plainKey(path.at(-1) ?? '')
  const entries = someObjects(value)
  if (!entries || OTHER_LISTS.has(key)) return null
  const said = entries.filter(entry => findText(entry) !== null || isTurn(entry, path))
  if (said.length === 0 || said.length < entries.length / 2) return null
  if (!said.some(entry => isTimed(entry) || findSpeaker(entry) !== null || partsOf(entry) !== null)) return null
  return { entries, path, areWords: WORD_LISTS.has(key) && !entries.some(entry => partsOf(entry) !== null) }
}

/** An entry without a text is a turn by its words. In a list at the top it may also be a conversation of its own. */
function isTurn(entry: JsonRecord, path: readonly string[]) {
  return partsOf(entry) !== null && (path.length > 0 || findSpeaker(entry) !== null)
}

function worth({ entries, areWords }: FoundList) {
  const some = entries.slice(0, 100)
  const speaks = some.some(entry => findSpeaker(entry) !== null) ? 4 : 0
  return speaks + (areWords ? 0 : 2) + (some.some(entry => isTimed(entry) || partsOf(entry) !== null) ? 3 : 0)
}

function isTimed(entry: JsonRecord) {
  try {
    const { start, end } = findTimes(entry, [])
    return start !== null || end !== null
  } catch {
    // It is a time, although one that cannot be read.
    return true
  }
}

/** Returns the sentences or words of an entry. */
export function partsOf(entry: JsonRecord): { key: string; entries: JsonRecord[] } | null {
  for (const key of PART_KEYS) {
    const entries = someObjects(entry[key])
    if (entries?.every(part => findText(part) !== null)) return { key, entries }
  }
  return null
}
