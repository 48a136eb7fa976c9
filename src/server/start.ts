import { join } from 'node:path'
import { buildAdminApi } from '../admin-api/app.ts'
import { type ConnectionOptions, chooseAi, chooseMedia, clock, connect, publicUrlOf } from '../compose.ts'
import type { Config } from '../config/config.ts'
import { createDataDir, protectDataDir } from '../config/data-dir.ts'
import { OperatorError } from '../core/operator-error.ts'
import { within } from '../core/within.ts'
import { MAX_WAITING, type OpenDatabase } from '../db/open.ts'
import type { Log } from '../http/log.ts'
import { type Jobs, openJobs, QUEUE_NAMES } from '../jobs/jobs.ts'
import type { MediaStore } from '../media/media.ts'
import { openMetrics } from '../telemetry/metrics.ts'
import { openDispatcher } from '../webhooks/delivery/dispatcher.ts'
import { openSender } from '../webhooks/sender.ts'
import { buildAdmin } from './admin-port.ts'
import { startBackground } from './background.ts'
import { openDeletionLedger } from './deletion-ledger.ts'
import { openLeftovers } from './leftovers.ts'
import { ADMIN_PORT, listen } from './listen.ts'
import { openPublicPort } from './public-port.ts'
import { ANOTHER_KEY, claimKey } from './secret-key.ts'

export interface Server {
  /** The URL where it listens, without a slash at its end. */
  url: string
  database: OpenDatabase
  jobs: Jobs
  media: MediaStore
  /** Turns readiness off, finishes requests, hands background work back and closes everything. */
  stop(): Promise<void>
}

/** Opens the database, the background work, the admin port and the public port. On an error it closes what is open and throws. */
export async function startServer(config: Config, log: Log): Promise<Server> {
  const opened = new AsyncDisposableStack()
  try {
    return await openAll(config, log, opened)
  } catch (error) {
    await opened.disposeAsync().catch(() => {})
    throw error
  }
}

async function openAll(config: Config, log: Log, opened: AsyncDisposableStack): Promise<Server> {
  const onError = (error: Error) => log.error(error, 'background error')
  let serving = false
  let adminApi: Awaited<ReturnType<typeof buildAdminApi>> | undefined

  const database = await openServerDatabase(config, { onError, onWait: reason => log.warn(reason) })
  opened.defer(() => database.close())
  const { db, pool, commits } = database
  const ai = await chooseAi(config)
  opened.defer(() => ai.close())
  const { embedder } = config
  for (const warning of [ai.lexicalReason, embedder.kind === 'bundled' ? embedder.warning : undefined])
    if (warning) log.warn(warning)

  // The admin port listens first: it answers probes while the rest opens.
  const metrics = openMetrics({ database, clock, embeddingModel: ai.embedder?.model, queues: QUEUE_NAMES })
  const ping = () => within(1_000, pool.query('select 1')).then(() => {})
  const admin = buildAdmin({ isServing: () => serving, ping, metrics: metrics.text, adminApi: () => adminApi }, log)
  opened.defer(() => admin.close())
  await listen(admin, config.admin, ADMIN_PORT)

  const media = await chooseMedia(config)
  opened.defer(() => media.close())
  const jobs = await openJobs(database, { supervise: true, onError })
  opened.defer(() => jobs.stop())
  const ledger = await openDeletionLedger(config, { db, jobs }, log)
  opened.defer(() => ledger.stop())
  commits.on('deletions', ledger.wake)
  const uploadFolder = join(config.database.dataDir, 'uploads')
  const leftovers = openLeftovers({ db, clock, outbox: config.mail.outbox, uploads: uploadFolder, onError })
  opened.defer(() => leftovers.stop())
  commits.on('deletions', leftovers.wake)
  await startBackground({ config, database, jobs, ai, media, metrics, log }, opened)

  const sender = openSender({ secretKey: config.secretKey, settings: config.webhooks, clock })
  opened.defer(() => sender.close())
  const dispatcher = openDispatcher({
    db: database.slow,
    isDistributed: db.isDistributed,
    clock,
    sender,
    onError,
    onAttempt: metrics.attempted
  })
  opened.defer(() => dispatcher.stop())
  commits.on('deliveries', dispatcher.wake)

  const transcribes = config.openai?.transcriptionModel !== undefined
  const api = await buildAdminApi(
    { db, clock, jobs, media, publicUrl: publicUrlOf(config), transcribes, uploadFolder },
    { key: config.adminApiKey, attemptsPerMinute: config.rateLimits.perMinute, logger: log }
  )
  await api.ready()
  adminApi = api
  opened.defer(async () => {
    adminApi = undefined
    await api.close()
  })
  const tools = { jobs, media, ai, sender, transcribes, uploadFolder }
  const { url, drain } = await openPublicPort({ ...tools, config, database, meter: metrics.meter, log }, opened)
  serving = true

  return {
    url,
    database,
    jobs,
    media,
    async stop() {
      serving = false
      // Background work stops first, so that other servers take it over during the drain.
      jobs.stop().catch(() => {})
      dispatcher.stop().catch(() => {})
      await drain()
      await opened.disposeAsync()
    }
  }
}

/** Opens and migrates the database of `config`, and makes sure that its secrets were encrypted with this server's key. */
async function openServerDatabase(
  config: Config,
  listeners: Pick<ConnectionOptions, 'onError' | 'onWait'>
): Promise<OpenDatabase> {
  createDataDir(config.database.dataDir)
  protectDataDir(config.database.dataDir)
  const database = await connect(config, {
    share: false,
    name: 'parlance serve',
    maxWaiting: MAX_WAITING,
    ...listeners
  })
  try {
    if (!(await claimKey(database.db, config.secretKey, clock.now()))) throw new OperatorError(ANOTHER_KEY)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}
