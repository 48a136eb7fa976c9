import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Ai } from './ai/ai.ts'
import { chooseAi, chooseMail, chooseMedia, clock, connect, publicUrlOf } from './compose.ts'
import { type Config, ConfigError } from './config.ts'
import { type Closers, closeAll } from './core/closers.ts'
import { createDataDir, protectDataDir } from './core/data-dir.ts'
import { within } from './core/within.ts'
import { MOST_WAITING } from './db/bounded-pool.ts'
import type { Database, OpenDatabase } from './db/open.ts'
import { eraseUser } from './deletions/erase-user.ts'
import { ledgerIn } from './deletions/file.ts'
import { openLedger } from './deletions/ledger.ts'
import { reapplyDeletions } from './deletions/reapply.ts'
import { openDispatcher } from './dispatch/dispatcher.ts'
import { eraseAnswers } from './dispatch/erase.ts'
import { removeOldAttempts } from './dispatch/retention.ts'
import { removeOldEvents, resetLostCursors } from './events/retention.ts'
import { rekeyFolders } from './folders/rekey.ts'
import { buildAdmin } from './http/admin.ts'
import { buildAppApi } from './http/app-api.ts'
import { ADMIN_PORT, listen } from './http/listen.ts'
import { processSession } from './ingest/pipeline.ts'
import { refreshSessions } from './ingest/refresh.ts'
import { requeueSessions } from './ingest/requeue.ts'
import { type JobData, type Jobs, openJobs, QUEUE_NAMES } from './jobs/jobs.ts'
import { openLeftovers } from './leftovers.ts'
import type { MediaStore } from './media/media.ts'
import { openMetrics } from './metrics/metrics.ts'
import { matchPeople } from './people/match.ts'
import type { PublicPort } from './public.ts'
import { buildVectorIndexes } from './search/vector-indexes.ts'
import { ANOTHER_KEY, claimKey } from './secret-key/check.ts'
import { purgeMedia } from './sessions/purge.ts'
import { removeOldShares } from './sharing/retention.ts'
import { sendInvite } from './sharing/send-invite.ts'
import { INDEX_VERSION } from './terms/index-session.ts'
import { openSender } from './webhooks/sender.ts'
import type { Workers } from './workers/workers.ts'

export interface Server {
  /** Where it listens, without a slash at its end. */
  url: string
  database: OpenDatabase
  jobs: Jobs
  media: MediaStore
  /** Turns readiness off, finishes what is under way, hands back the rest and closes everything. */
  stop(): Promise<void>
}

/** How many sessions one process works on at a time. More wait for the same embedding thread anyway; the third is for another owner. */
const SESSIONS = { atOnce: 3, perOwner: 2 }
const MAILS_AT_ONCE = 2

type Log = FastifyBaseLogger & { error: (fault: Error, message?: string) => void }

/**
 * Starts everything a server does: migrations, background work, the admin port and the public port; or nothing of it.
 * With several workers the public port is theirs, and all else is done by this process.
 */
export async function startServer(config: Config, log: Log): Promise<Server> {
  const opened: Closers = []
  try {
    return await start(config, log, opened)
  } catch (fault) {
    await closeAll(opened).catch(() => {})
    throw fault
  }
}

async function start(config: Config, log: Log, opened: Closers): Promise<Server> {
  const onError = (fault: Error) => log.error(fault, 'background fault')
  createDataDir(config.database.dataDir)
  protectDataDir(config.database.dataDir)
  const database = await connect(config, { share: false, name: 'parlance serve', mostWaiting: MOST_WAITING, onError })
  const { db, pool } = database
  opened.push(() => database.close())
  if (!(await claimKey(db, config.secretKey, clock.now()))) throw new ConfigError(ANOTHER_KEY)

  let serving = false
  let appApi: Awaited<ReturnType<typeof buildAppApi>> | undefined
  let embeddingModel: string | undefined
  let workers: Workers | undefined
  const metrics = openMetrics({
    database,
    clock,
    embeddingModel: () => embeddingModel,
    queues: QUEUE_NAMES,
    serving: () => workers?.serving() ?? Number(serving),
    others: async () => (await workers?.samples()) ?? []
  })
  const ping = () => within(1_000, pool.query('select 1')).then(() => {})
  const admin = buildAdmin({ isServing: () => serving && workers?.serving() !== 0, ping, metrics: metrics.text, appApi: () => appApi }, log)
  opened.push(() => admin.close())
  await listen(admin, config.admin, ADMIN_PORT)

  const ai = await chooseAi(config)
  opened.push(() => ai.close())
  embeddingModel = ai.embedder.model
  const media = await chooseMedia(config)
  opened.push(async () => media.close())
  const jobs = await openJobs(database, { supervise: true, onError })
  opened.push(() => jobs.stop())
  await rekeyFolders(db)
  await resetLostCursors(db)
  const ledger = await keepDeletions(config, { database, jobs }, log)
  opened.push(() => ledger.stop())
  database.commits.on('deletions', ledger.wake)
  const uploads = join(config.database.dataDir, 'uploads')
  const leftovers = openLeftovers({ db, clock, outbox: config.mail.outbox, uploads, onError })
  opened.push(() => leftovers.stop())
  database.commits.on('deletions', leftovers.wake)

  const onFailure = (session: string, reason: string) => {
    metrics.sessionFailed()
    log.warn({ session, reason }, 'session failed')
  }
  const pipeline = { db, ai, media, clock, onFailure }
  await jobs.work('process-session', SESSIONS, (data, attempt) => processSession(pipeline, data, attempt))
  await jobs.work('requeue-sessions', 1, async (_, { signal }) => void (await requeueSessions({ ...pipeline, jobs }, signal)))
  await jobs.repeat('requeue-sessions', {}, REQUEUE_EVERY_SECONDS)
  await jobs.work('match-people', 1, (_, { signal }) => matchPeople(db, signal))
  await jobs.repeat('match-people', {}, MATCH_EVERY_SECONDS)
  await jobs.work('purge-media', 1, data =>
    purgeMedia({ db, media }, data).catch((fault: Error) => {
      log.warn({ session: data.sessionId, reason: fault.message }, 'recording not deleted yet')
      throw fault
    })
  )
  await jobs.work('delete-user', 1, ({ userId }, { signal }) => eraseUser({ db, jobs }, userId, signal))
  await jobs.work('erase-answers', 1, async ({ userId, sessionId }) => void (await eraseAnswers(db, userId, sessionId)))
  const mail = await chooseMail(config)
  opened.push(async () => mail.close())
  const publicUrl = publicUrlOf(config)
  const { secretKey } = config
  const postman = {
    db,
    mail,
    clock,
    publicUrl,
    secretKey,
    onFailure: (invite: string, reason: string) => log.warn({ invite, reason }, 'invite not sent')
  }
  await jobs.work('send-invite', MAILS_AT_ONCE, (data, attempt) => sendInvite(postman, data, attempt))
  await jobs.work('retention', 1, (_, attempt) => removeOld(db, attempt.signal))
  await jobs.repeat('retention', {}, RETENTION_EVERY_SECONDS)
  await jobs.work('search-index', 1, (data, { signal }) => keepSearchable(database, ai, data, signal))
  await jobs.repeat('search-index', { version: INDEX_VERSION, model: ai.embedder.model }, SEARCH_INDEX_EVERY_SECONDS)

  const sender = openSender({ secretKey, settings: config.webhooks, clock })
  opened.push(() => sender.close())
  const dispatcher = openDispatcher({ db: database.background, clock, sender, onError, onAttempt: metrics.attempted })
  opened.push(() => dispatcher.stop())
  database.commits.on('deliveries', dispatcher.wake)

  const opening = await buildAppApi(
    {
      db,
      clock,
      jobs,
      media,
      publicUrl,
      transcribes: config.openai?.transcriptionModel !== undefined,
      uploadFolder: uploads
    },
    { key: config.appApiKey, attemptsPerMinute: config.rateLimits.perMinute, logger: log }
  )
  await opening.ready()
  appApi = opening
  opened.push(async () => {
    appApi = undefined
    await opening.close()
  })
  const { url, drain } = config.workers > 1 ? await startWorkers() : await serveHere()
  serving = true

  return {
    url,
    database,
    jobs,
    media,
    async stop() {
      serving = false
      // At once, for other processes to go on with what is handed back.
      jobs.stop().catch(() => {})
      dispatcher.stop().catch(() => {})
      await drain()
      await closeAll(opened)
    }
  }

  async function serveHere() {
    // A process with workers does without its routes.
    const { openPublicPort } = await import('./public.ts')
    return await openPublicPort({ config, database, jobs, media, ai, sender, meter: metrics.meter, log }, opened)
  }

  async function startWorkers(): Promise<PublicPort> {
    const { openWorkers } = await import('./workers/workers.ts')
    workers = await openWorkers(config.workers, {
      // The offline model takes as much memory as a worker: it is in this process alone.
      beginning: { config, embedder: config.openai ? undefined : ai.embedder },
      embed: texts => ai.embed(texts, undefined, 'query'),
      committed: topic => void database.commits.emit(topic),
      died: metrics.workerDied,
      log
    })
    opened.push(workers.stop)
    // Each of them drains before it ends.
    return { url: workers.url, drain: async () => {} }
  }
}

/** Before anyone reads or works on the database: one that was restored may have again what was deleted after its backup. */
async function keepDeletions(config: Config, { database: { db }, jobs }: { database: OpenDatabase; jobs: Jobs }, log: Log) {
  const path = ledgerIn(config.database.dataDir)
  const again = await reapplyDeletions({ db, jobs, clock }, path)
  if (again.missed > 0) log.warn(again, 'deletions made after this backup are made again')
  const onError = (fault: Error) => log.error(fault, 'the ledger of deletions is not written')
  return await openLedger({ db, clock, path, onError })
}

const SEARCH_INDEX_EVERY_SECONDS = 600

async function keepSearchable(database: OpenDatabase, ai: Ai, { version, model }: JobData['search-index'], signal: AbortSignal) {
  // While servers are replaced by others: each job is for those that sent it, or they would undo one another's work.
  if (version !== INDEX_VERSION || model !== ai.embedder.model) throw new Error('This work is for a server with another version or model')
  await refreshSessions({ db: database.db, ai }, signal)
  // The embedded database has one session: everyone would wait for an index to be built.
  if (!database.engine) await buildVectorIndexes(database, ai.embedder.model, signal)
}

const REQUEUE_EVERY_SECONDS = 300
const MATCH_EVERY_SECONDS = 300
const RETENTION_EVERY_SECONDS = 6 * 3_600

async function removeOld(db: Database, signal: AbortSignal) {
  await removeOldEvents(db, clock.now(), signal)
  await removeOldAttempts(db, clock.now(), signal)
  await removeOldShares(db, clock.now(), signal)
}
