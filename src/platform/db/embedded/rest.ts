import pg from 'pg'

/** Shorter than the time that the engine leaves a transaction idle. */
const SIGN_OF_LIFE_MS = 2_000

/**
 * Runs `use` while the embedded engine rests between two turns: its files change no more, and are those of a crash at this moment, from which the engine
 * starts with every acknowledged change. Everyone else waits. The turn ends with this process, at the latest.
 */
export async function whileEngineRests<T>(socketDir: string, use: () => Promise<T>): Promise<T> {
  const client = new pg.Client({
    host: socketDir,
    user: 'postgres',
    database: 'postgres',
    application_name: 'parlance backup'
  })
  let lost: Error | undefined
  client.on('error', error => {
    lost = error
  })
  await client.connect()
  try {
    // Most of what is left to write is written while others still have their turns in between.
    await client.query('checkpoint')
    await client.query('begin read only')
    const life = setInterval(() => void client.query('select').catch(() => {}), SIGN_OF_LIFE_MS)
    const result = await use().finally(() => clearInterval(life))
    await client.query('rollback')
    if (lost) throw lost
    return result
  } finally {
    await client.end().catch(() => {})
  }
}
