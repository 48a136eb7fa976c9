// @module-tag postgres

import { expect, test } from 'vitest'
import { commandJson } from '../support/command.ts'
import { fileIn, migratedDatabase, newOwner, rowsOf, serve, temporaryFolder, until } from '../support/process.ts'

const SLOW = { timeout: 300_000 }

function transcripts(count: number) {
  const folder = temporaryFolder()
  return Array.from({ length: count }, (_, at) => fileIn(folder, `talk-${at}.txt`, `Ada: I'll send offer ${at}.`))
}

test(
  'a newcomer’s two imports are completed after a few of the two hundred that another owner sent before',
  SLOW,
  async () => {
    const place = await migratedDatabase()
    const [ada, ben] = [await newOwner(place), await newOwner(place)]
    await commandJson(place, 'import', '--user', ada.id, ...transcripts(200))
    await commandJson(place, 'import', '--user', ben.id, ...transcripts(2))
    await serve(place)
    const completed = async (userId: string) =>
      await rowsOf(
        place,
        "select updated_at from sessions where user_id = $1 and state = 'completed' order by updated_at",
        [userId]
      )
    await until('both are completed', async () => (await completed(ben.id)).length === 2)
    const last = (await completed(ben.id)).at(-1)!.updated_at
    const before = (await completed(ada.id)).filter(({ updated_at }) => String(updated_at) <= String(last))
    expect(before.length).toBeLessThan(20)
    await until('the first owner goes on', async () => (await completed(ada.id)).length > before.length + 10)
  }
)
