import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { packDocument } from '../src/contract/packed-document.ts'
import { everyScope } from '../src/features/access/actor.ts'
import { openLongReads } from '../src/features/access/long-reads.ts'
import { createUser } from '../src/features/access/queries.ts'
import { importDocument } from '../src/features/ingest/operations.ts'
import { processSession } from '../src/features/ingest/pipeline.ts'
import { readImportDocument } from '../src/features/transcript-formats/read-document.ts'
import { openTranscriptWriter } from '../src/features/transcripts/writer/writer.ts'
import type { Ai } from '../src/platform/ai/ai.ts'
import { migrateDatabase } from '../src/platform/db/migrate.ts'
import { type OpenDatabase, openDatabase } from '../src/platform/db/open.ts'
import { databaseUrl, findLabel, labelDatabase, recreateDatabase } from './database.ts'
import { NO_QUEUE, NO_QUOTAS, noMedia } from './in-process.ts'
import { digestOf, filesBelow } from './made-cache.ts'
import type { Library } from './sets/query-set.ts'

/** The database with the libraries and everything derived from them, once the quality of search was measured. */
export const LIBRARIES = 'parlance_bench_quality'

export const ownerOf = (library: string) => `usr_${library}`

/** The code that makes the index. After a change of it, the libraries are imported again. */
const INDEXING = ['platform/db/schema', 'features/ingest', 'features/library/index'].map(folder =>
  fileURLToPath(new URL(`../src/${folder}/`, import.meta.url))
)
const AT_ONCE = 4

/** Opens the database with the libraries as the product imports them. `made` identifies the source of their summaries and vectors. */
export async function openLibraries(
  libraries: readonly Library[],
  ai: Ai,
  made: string,
  again: boolean
): Promise<OpenDatabase> {
  const url = databaseUrl(LIBRARIES)
  const code = INDEXING.flatMap(filesBelow).map(file => readFileSync(file, 'utf8'))
  const label = digestOf(made, JSON.stringify(libraries), ...code)
  const open = () => openDatabase({ url, dataDir: '', share: false, name: 'parlance bench', onError: console.error })
  if (!again && (await findLabel(LIBRARIES)) === label) return await open()
  await recreateDatabase(LIBRARIES)
  await migrateDatabase({ connectionString: url })
  const opened = await open()
  try {
    for (const library of libraries) await importLibrary(opened, library, ai)
    await opened.pool.query('vacuum analyze')
    await labelDatabase(LIBRARIES, label)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function importLibrary({ db }: OpenDatabase, { name, documents }: Library, ai: Ai) {
  console.log(`Importing ${documents.length} sessions: ${name} …`)
  const userId = ownerOf(name)
  const clock = { now: () => new Date() }
  const account = {
    name: null,
    email: null,
    emailVerifiedAt: null,
    timeZone: 'UTC',
    subscriptionActive: true,
    createdAt: clock.now()
  }
  await createUser(db, userId, account)
  const importer = { db, jobs: NO_QUEUE, clock, media: noMedia(), quotas: NO_QUOTAS, transcribes: false }
  const pipeline = {
    db,
    ai,
    media: noMedia(),
    clock,
    quotas: NO_QUOTAS,
    jobs: NO_QUEUE,
    sound: { folder: tmpdir(), programPath: undefined },
    writer: openTranscriptWriter(openLongReads()),
    onWait: () => {},
    onFailure: (id: string, reason: string) => console.error(`${id}: ${reason}`)
  }
  const waiting = [...documents]
  async function work() {
    for (let document = waiting.shift(); document; document = waiting.shift()) {
      const read = readImportDocument(document)
      const source = { document: packDocument(read), fallbackTitle: 'Untitled' }
      const { session } = await importDocument(importer, everyScope(userId, 'command'), source)
      await processSession(
        pipeline,
        { userId, sessionId: session.id },
        { last: true, signal: new AbortController().signal }
      )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}
