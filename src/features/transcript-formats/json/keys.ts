import { isRecord, type JsonRecord } from './fields.ts'

/** The name of a key as tools agree on it: `start_time`, `startTime` and `Start Time` are one. */
export function plainKey(key: string) {
  return key.length > MAX_KEY ? key : key.toLowerCase().replace(/[\s_-]/g, '')
}

const MAX_KEY = 60

export interface Found {
  key: string
  value: unknown
}

/** Returns the entries of an object whose keys are among some names, in the order of the names. Empty values are left out. */
export function findKeys(record: JsonRecord, names: readonly string[]): Found[] {
  const found: Found[] = []
  const places = new Map<string, Found>()
  for (const [key, value] of Object.entries(record)) {
    const plain = plainKey(key)
    if (value !== null && value !== undefined && value !== '' && !places.has(plain)) places.set(plain, { key, value })
  }
  for (const name of names) {
    const place = places.get(name)
    if (place) found.push(place)
  }
  return found
}

/** The keys of an object that hold text, by the likelihood that they hold what was said. */
const TEXT_KEYS = (
  'text content body sentence utterance linecontent spokentext transcript transcription caption message speech displaytext ' +
  'rawtext punctuatedword word'
).split(' ')

/** The keys of speakers. A name is better than a label, and a label better than a number. */
const SPEAKER_KEYS = (
  'speakername speakerdisplayname detectedspeakername participantname displayname username speaker speakerdesignation participant ' +
  'voice author person user who talker speakerlabel name speakerid participantid userid personid speakertag spk role channel channeltag speakers users'
).split(' ')

/** The keys that name the speaker if the value of `speaker` is an object. */
const NAME_KEYS = 'displayname fullname name speakername username label diarizationlabel id email source'.split(' ')

/** Returns the text of an entry, which may stand within an object. */
export function findText(entry: JsonRecord): { key: string; text: string } | null {
  for (const { key, value } of findKeys(entry, TEXT_KEYS)) {
    if (typeof value === 'string') return { key, text: value }
    const [inner] = isRecord(value) ? findKeys(value, TEXT_KEYS) : []
    if (typeof inner?.value === 'string') return { key, text: inner.value }
  }
  return null
}

/** Returns the name, label or number of the speaker of an entry. */
export function findSpeaker(entry: JsonRecord): { key: string; label: string | number } | null {
  for (const { key, value } of findKeys(entry, SPEAKER_KEYS)) {
    const label = labelIn(value)
    if (label !== null) return { key, label }
  }
  // Recorders of both sides of a call name the microphone, which is the user's, and the system.
  const [source] = findKeys(entry, ['source'])
  if (typeof source?.value !== 'string' || !SOURCES.has(source.value)) return null
  return { key: source.key, label: `Speaker (${source.value})` }
}

const SOURCES = new Set(['microphone', 'mic', 'system', 'speaker'])

function labelIn(value: unknown): string | number | null {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return value.trim() === '' ? null : value
  if (Array.isArray(value)) return value.length === 1 ? labelIn(value[0]) : null
  if (!isRecord(value)) return null
  for (const { key, value: name } of findKeys(value, NAME_KEYS)) {
    if (plainKey(key) === 'source') return typeof name === 'string' ? `Speaker (${name})` : null
    if (typeof name === 'number' || (typeof name === 'string' && name.trim() !== '')) return name
  }
  const [user] = findKeys(value, ['user', 'participant', 'person', 'speaker'])
  return isRecord(user?.value) ? labelIn(user.value) : null
}
