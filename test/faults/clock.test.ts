import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import {
  fileIn,
  migratedDatabase,
  newOwner,
  onPostgres,
  rowsOf,
  runJson,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'
import { sound } from '../support/sound.ts'
import { loadOf, UNLIMITED } from './load.ts'

const DAY = 86_400_000

// The embedded database has the clock of its process. A server with PostgreSQL goes by the database's, whatever its own shows.
test.runIf(Boolean(process.env.FAULTS) && !onPostgres)(
  'a clock that goes a day ahead and back ends what was to end by then, and while it was; imports wait for neither',
  {
    timeout: 300_000
  },
  async () => {
    const fresh = await migratedDatabase()
    const folder = temporaryFolder()
    const ahead = fileIn(folder, 'ahead', '0')
    const place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED } }
    const clock = { CLOCK_AHEAD_FILE: ahead, NODE_OPTIONS: `--import=${resolve('test/faults/stepping-clock.ts')}` }
    const server = await serve({ environment: { ...place.environment, ...clock } })
    const load = await loadOf(place)
    const guest = await newOwner(place)
    await rowsOf(place, "update tokens set expires_at = now() + interval '12 hours' where token_id = $1", [
      guest.tokenId
    ])
    fileIn(folder, 'talk.mp3', sound('a recording'))
    const session = await imported('talk', { media: { audio: 'talk.mp3' } })
    const { body } = await server.get(`/v1/sessions/${session}/media`, load.owner.token)
    const link = (body as { audio_url: string }).audio_url
    const statuses = async () => [(await fetch(link)).status, (await server.get('/v1/account', guest.token)).status]
    expect(await statuses()).toEqual([200, 200])

    writeFileSync(ahead, String(DAY))
    await until('the clock is ahead', async () => (await statuses())[0] === 404)
    expect(await statuses()).toEqual([404, 401])
    expect(await dueTomorrow()).toBe(dayAfter(2))
    await imported('ahead')
    const meanwhile = load.start([server])
    await load.progress(10)
    writeFileSync(ahead, '0')
    await until('the clock is back', async () => (await statuses())[0] === 200)
    expect(await statuses()).toEqual([200, 200])
    expect(await dueTomorrow()).toBe(dayAfter(1))
    await imported('back')
    await load.progress(10)
    expect((await meanwhile()).strange).toEqual([])
    await load.check({ completed: 3 })

    async function imported(name: string, more: object = {}) {
      const document = {
        title: name,
        summary: 'Given.',
        action_items: [],
        segments: [{ speaker: 'Ada', start: 0, end: 1, text: name }],
        ...more
      }
      const [one] = await runJson(
        place,
        'import',
        '--user',
        load.owner.id,
        '--wait',
        fileIn(folder, `${name}.json`, JSON.stringify(document))
      )
      expect(one?.status).toBe('completed')
      return String(one?.session_id)
    }

    /** The day that a new action item "tomorrow" is due, of a user in UTC. */
    async function dueTomorrow() {
      const headers = { authorization: `Bearer ${load.owner.token}`, 'content-type': 'application/json' }
      const change = {
        method: 'PATCH',
        headers,
        body: JSON.stringify({ action_items: [{ text: 'Ship', due_date: 'tomorrow' }] })
      }
      expect((await fetch(`${server.url}/v1/sessions/${session}`, change)).status).toBe(200)
      const { action_items: items } = (await server.get(`/v1/sessions/${session}/action-items`, load.owner.token))
        .body as {
        action_items: { due_date: string }[]
      }
      return items[0]?.due_date.slice(0, 10)
    }
  }
)

test('a clock that is set back by an hour while imports are processed delays none of them', {
  timeout: 600_000
}, async () => {
  const fresh = await migratedDatabase()
  const folder = temporaryFolder()
  const ahead = fileIn(folder, 'ahead', '3600000')
  const clock = { CLOCK_AHEAD_FILE: ahead, NODE_OPTIONS: `--import=${resolve('test/faults/stepping-clock.ts')}` }
  await serve({ environment: { ...fresh.environment, ...clock } })
  const owner = await newOwner(fresh)
  const text = Array.from({ length: 40 }, (_, line) => `Ada: Sentence ${line} is about the garden and the offer.`).join(
    '\n'
  )
  const files = Array.from({ length: 5 }, (_, n) => fileIn(folder, `talk ${n}.txt`, `${text}\nBen: Number ${n}.`))
  await runJson(fresh, 'import', '--user', owner.id, ...files)
  const completed = async () => {
    const [row] = await rowsOf(fresh, "select count(*)::int as count from sessions where state = 'completed'")
    return Number(row?.count)
  }
  // A delay by the clock would be an hour.
  const withinMs = 250_000
  await until('the first is completed', async () => (await completed()) > 0, withinMs)
  writeFileSync(ahead, '0')
  await until('all are completed', async () => (await completed()) === files.length, withinMs)
})

function dayAfter(days: number) {
  return new Date(Date.now() + days * DAY).toISOString().slice(0, 10)
}
