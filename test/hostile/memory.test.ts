// @module-tag postgres
import { expect, test } from 'vitest'
import { UNLIMITED } from '../faults/load.ts'
import { CONTAINER_BYTES, CONTAINER_HEAP } from '../support/container.ts'
import { drawer } from '../support/drawn.ts'
import { migratedDatabase, newOwner, serve, until } from '../support/process.ts'
import { canMeasureProcesses, ownMemoryOf, watchMemory } from '../support/process-memory.ts'

const MEBIBYTE = 1024 * 1024
const SPEAKERS = ['Ada', 'Ben', 'Cem']

/** Words of few syllables, as many as a conversation of ten hours has, the first ones the most often. */
function* words() {
  const syllables = [
    'ka',
    'to',
    'mi',
    'ren',
    'sol',
    'da',
    'vi',
    'len',
    'or',
    'ta',
    'pu',
    'ser',
    'no',
    'gal',
    'be',
    'xi'
  ]
  const syllable = (n: number) => syllables[n % syllables.length]
  for (const draw = drawer(7); ; ) {
    const rank = Math.floor(4_096 * draw() ** 3)
    yield `${syllable(rank)}${syllable(rank >> 4)}${syllable(rank >> 8)}`
  }
}

/** Segments of so many words each. */
function spoken(count: number, wordsEach: number) {
  const next = words()
  const text = () => `${Array.from({ length: wordsEach }, () => next.next().value).join(' ')}.`
  const seconds = 36_000 / count
  return Array.from({ length: count }, (_, at) => ({
    speaker: SPEAKERS[at % SPEAKERS.length],
    start: at * seconds,
    end: (at + 1) * seconds,
    text: text()
  }))
}

test.runIf(canMeasureProcesses)(
  'a conversation of ten hours, with 5,000 segments and 100,000 words, is completed within 512 MiB, those of the processes that read it included',
  { timeout: 900_000 },
  async () => {
    const place = await migratedDatabase()
    const { token } = await newOwner(place)
    const server = await serve({ environment: { ...place.environment, ...UNLIMITED, ...CONTAINER_HEAP } })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const memory = watchMemory(server.pid)
    const body = JSON.stringify({ title: 'Long', segments: spoken(5_000, 20) })
    const sent = await fetch(`${server.url}/v1/sessions`, { method: 'POST', headers, body })
    expect(sent.status).toBe(202)
    const { id } = (await sent.json()) as { id: string }
    const session = async () => (await server.get(`/v1/sessions/${id}`, token)).body as { status: string }
    const isOver = async () => ((await session()).status === 'processing' ? undefined : true)
    await until('it is processed', isOver, 800_000)
    expect((await session()).status).toBe('completed')
    const peak = memory.stop()
    expect(peak).toBeGreaterThan(64 * MEBIBYTE)
    expect(peak).toBeLessThan(CONTAINER_BYTES)
  }
)

test.runIf(canMeasureProcesses)(
  'the longest conversations, three at once, take less than 250 MiB of the server itself',
  { timeout: 900_000 },
  async () => {
    const place = await migratedDatabase()
    const owners = [await newOwner(place), await newOwner(place), await newOwner(place)]
    // The embedding model takes as much memory for a short conversation.
    const settings = { ...UNLIMITED, ...CONTAINER_HEAP, EMBEDDING_MODEL: 'none' }
    const server = await serve({ environment: { ...place.environment, ...settings } })
    const complete = async (token: string, segments: object[]) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ title: 'Long', segments })
      const sent = await fetch(`${server.url}/v1/sessions`, { method: 'POST', headers, body })
      expect(sent.status).toBe(202)
      const { id } = (await sent.json()) as { id: string }
      await until(
        'it is completed',
        async () =>
          ((await server.get(`/v1/sessions/${id}`, token)).body as { status: string }).status === 'completed' ||
          undefined,
        800_000
      )
    }
    await complete(owners[0]!.token, spoken(100, 20))
    const before = ownMemoryOf(server.pid)
    let peak = 0
    const watch = setInterval(() => {
      peak = Math.max(peak, ownMemoryOf(server.pid))
    }, 20)
    const longest = spoken(15_000, 20)
    await Promise.all(owners.map(({ token }) => complete(token, longest))).finally(() => clearInterval(watch))
    expect(Math.round((peak - before) / MEBIBYTE)).toBeLessThan(250)
  }
)
