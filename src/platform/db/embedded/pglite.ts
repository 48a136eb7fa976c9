import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'

/** The maximum of the write-ahead log that is kept for reuse: four segments of 16 MiB. */
const ENGINE_SETTINGS = ['shared_buffers=16MB', 'max_connections=8', 'min_wal_size=32MB', 'max_wal_size=64MB']

/** Opens the database in a folder, or creates it there. */
export async function openPglite(directory: string) {
  return await PGlite.create({
    dataDir: directory,
    extensions: { vector },
    // `-F`, among the defaults, turns fsync off: a power cut would lose acknowledged changes.
    startParams: [
      ...PGlite.defaultStartParams.filter(param => param !== '-F'),
      ...ENGINE_SETTINGS.flatMap(setting => ['-c', setting])
    ]
  })
}
