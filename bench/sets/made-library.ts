import { COLLEAGUES, makeGuests, withoutAccents } from './people.ts'
import { type Library, type LibraryDocument, toSegments } from './query-set.ts'
import { openRandom } from './random.ts'
import { SMALL_TALK, TOPICS } from './topics.ts'

/** A session of the made library, with the facts that questions are made of. */
export interface MadeSession {
  document: LibraryDocument
  at: Date
  topic: string
  guest: string
  colleagues: string[]
}

const SESSIONS = 200
const FIRST_DAY = Date.UTC(2025, 0, 6, 9)
const DAY_MS = 86_400_000
const TURNS = 40

/** Makes two hundred sessions over 400 days, each about one topic, with a guest of its own and two of twelve colleagues. */
export function makeSessions(): MadeSession[] {
  const random = openRandom(7)
  const guests = makeGuests(SESSIONS)
  const topics = Object.keys(TOPICS)
  return guests.map((guest, n) => {
    const at = new Date(FIRST_DAY + n * 2 * DAY_MS + random.below(8) * 3_600_000)
    const topic = random.pick(topics)
    const colleagues = random.shuffle(COLLEAGUES).slice(0, 2)
    // A transcription service writes half of the names without accents.
    const speakers = [n % 2 === 0 ? guest : withoutAccents(guest), ...colleagues]
    const sentences = random.shuffle([...TOPICS[topic]!, ...TOPICS[topic]!])
    const turns = Array.from({ length: TURNS }, (_, turn) => ({
      speaker: speakers[turn % 3]!,
      text: `${random.pick(SMALL_TALK)} ${sentences[turn % sentences.length]}`
    }))
    const document = {
      external_id: `made-${n}`,
      title: `Meeting ${n + 1}`,
      timestamp: at.toISOString(),
      type: 'meeting',
      language: 'en',
      summary: `About ${topic}. ${TOPICS[topic]![random.below(TOPICS[topic]!.length)]}`,
      segments: toSegments(turns)
    }
    return { document, at, topic, guest, colleagues }
  })
}

export function toLibrary(name: string, sessions: readonly MadeSession[]): Library {
  return { name, documents: sessions.map(({ document }) => document) }
}
