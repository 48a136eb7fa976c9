import { isRecord, type JsonRecord, someObjects } from './fields.ts'
import { findKeys, plainKey } from './keys.ts'

const TABLES = new Set(
  (
    'speakers participants parties people persons contributors attendees users members voices speakernames speakermap speakerlabels ' +
    'speakermapping speakermappings speakertable'
  ).split(' ')
)
const ID_KEYS = [
  'id',
  'speakerid',
  'participantid',
  'userid',
  'personid',
  'key',
  'speaker',
  'label',
  'tag',
  'index',
  'speakernumber'
]
const NAME_KEYS = ['name', 'displayname', 'fullname', 'speakername', 'personname', 'label', 'title']
const MAX_DEPTH = 4

/** The names of the speakers that a file numbers: a list of ids with names, or an object of names by id. */
interface SpeakerNames {
  names: ReadonlyMap<string, string>
  /** The keys of the tables. */
  keys: string[]
}

export function findSpeakerNames(json: unknown): SpeakerNames {
  const names = new Map<string, string>()
  const keys: string[] = []
  let level: unknown[] = [json]
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    level = level
      .flatMap(value => (isRecord(value) ? Object.entries(value) : firstOf(value)))
      .flatMap(([key, value]) => {
        if (TABLES.has(plainKey(key)) && readTable(value, names)) {
          keys.push(key)
          return []
        }
        return isRecord(value) || (Array.isArray(value) && value.length === 1) ? [value] : []
      })
  }
  return { names, keys }
}

function firstOf(value: unknown): [string, unknown][] {
  return Array.isArray(value) && value.length === 1 ? [['', value[0]]] : []
}

function readTable(value: unknown, names: Map<string, string>) {
  const before = names.size
  if (isRecord(value)) {
    for (const [id, inner] of Object.entries(value)) {
      const name = isRecord(inner) ? textIn(inner, NAME_KEYS) : inner
      if (typeof name === 'string' && name.trim() !== '') names.set(id, name)
    }
  }
  for (const entry of someObjects(value) ?? []) {
    const name = textIn(entry, NAME_KEYS)
    for (const { value: id } of findKeys(entry, ID_KEYS)) {
      if (name !== null && (typeof id === 'number' || typeof id === 'string') && String(id) !== name)
        names.set(String(id), name)
    }
  }
  return names.size > before
}

function textIn(entry: JsonRecord, keys: readonly string[]) {
  const [found] = findKeys(entry, keys).filter(({ value }) => typeof value === 'string' && value.trim() !== '')
  return typeof found?.value === 'string' ? found.value : null
}
