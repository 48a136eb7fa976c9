import type { SessionDetail } from '../../../src/contract/session.ts'
import { recordEvents } from '../../../src/features/events/record.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { openDatabase } from '../../../src/platform/db/open.ts'

// Writers that record what they do in a ledger as well, in the same transactions, for ever: to be killed in the middle.
const [url = '', writers = '', ...users] = process.argv.slice(2)
const { db } = await openDatabase({
  url,
  dataDir: '',
  share: false,
  name: 'feed writer',
  poolSize: Number(writers),
  onError: () => {}
})

async function write() {
  for (;;) {
    const userId = users[Math.floor(Math.random() * users.length)] ?? ''
    const changes = Array.from({ length: 1 + Math.floor(Math.random() * 3) }, () => crypto.randomUUID())
    const change = db.transaction(async tx => {
      for (const made of changes)
        await tx.execute(sql`insert into ledger (user_id, change) values (${userId}, ${made})`)
      if (Math.random() < 0.3) await tx.execute(sql`select pg_sleep(${Math.random() * 0.01})`)
      for (const made of changes) {
        await recordEvents(tx, userId, { id: made, updated_at: '2026-03-02T10:00:00.000Z' } as SessionDetail, [
          'session.updated'
        ])
      }
      if (Math.random() < 0.15) throw new RollBack()
    })
    await change.catch(fault => {
      if (!(fault instanceof RollBack)) throw fault
    })
  }
}

class RollBack extends Error {}

await Promise.all(Array.from({ length: Number(writers) }, write))
