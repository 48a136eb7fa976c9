import { removeOwnSound } from '../features/ingest/parts/work-folder.ts'
import { removeAllUploads } from '../features/ingest/upload.ts'
import type { Services } from '../features/services.ts'
import { type DispatcherOptions, openDispatcher } from '../features/webhooks/delivery/dispatcher.ts'
import { buildAdminApi } from '../interfaces/admin-api/app.ts'
import type { Log } from '../interfaces/http/log.ts'
import type { OnTokens } from '../platform/ai/openai/chat.ts'
import type { EmbeddingGap } from '../platform/ai/query-embedder.ts'
import type { Config } from '../platform/config/config.ts'
import { createDataDir, protectDataDir } from '../platform/config/data-dir.ts'
import { OperatorError } from '../platform/core/operator-error.ts'
import { within } from '../platform/core/within.ts'
import { MAX_WAITING } from '../platform/db/open.ts'
import { requireNodes } from '../platform/db/shards.ts'
import { QUEUE_NAMES } from '../platform/jobs/queues.ts'
import { releaseStartMemory } from '../platform/work/start-memory.ts'
import { buildAdmin } from './admin-port.ts'
import { startBackground } from './background.ts'
import { type Connected, type ConnectionOptions, chooseAi, connect, dataFoldersOf } from './compose.ts'
import { openDeletionLedger } from './deletion-ledger.ts'
import { openDiagnosis } from './diagnosis.ts'
import { openLeftovers } from './leftovers.ts'
import { ADMIN_PORT, listen } from './listen.ts'
import { openServices } from './open-services.ts'
import { openPublicPort } from './public-port.ts'
import { ANOTHER_KEY, claimKey } from './secret-key.ts'
import { type Metrics, openMetrics } from './telemetry/metrics.ts'

export interface Server {
  /** The URL where it listens, without a slash at its end. */
  url: string
  database: Connected
  services: Services
  /** Turns readiness off, finishes requests, hands background work back and closes everything. `failure` is the error that ends the process. */
  stop(failure?: Error): Promise<void>
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
  const database = await openServerDatabase(config, {
    onError,
    onWait: reason => log.warn(reason),
    onMigrated: migrated => log.info(migrated, 'migrated the database')
  })
  opened.defer(() => database.close())
  const ai = await openAi({ config, log, onTokens: use => metrics.tokensUsed(use) }, opened)
  const metrics = openMetrics({
    database,
    clock: database.clock,
    embeddingModel: ai.embedder?.model,
    queues: QUEUE_NAMES
  })
  // The admin port listens first: it answers probes while the rest opens.
  const admin = await openAdminPort({ config, database, metrics, log }, opened)

  const onEmbeddingGap = (gap: EmbeddingGap | undefined) =>
    gap
      ? log.warn({ reason: gap }, 'searches compare words only: no embedding of a query in time')
      : log.info('searches compare the meaning again')
  const composed = await openServices(config, { database, ai, onError, onEmbeddingGap }, opened)
  const services = { ...composed, diagnose: openDiagnosis(config, { ...composed, database }) }
  await openDeletionLedger(config, services, { commits: database.commits, log }, opened)
  await openLeftoversOf(config, database, onError, opened)
  // Before anything waits for an answer.
  releaseStartMemory()
  await startBackground({ config, database, services, metrics, log })
  const dispatcher = startDispatcher(database, services, { onError, onAttempt: metrics.attempted }, opened)
  await admin.serve(services)
  const { url, drain } = await openPublicPort({ services, config, meter: metrics.meter, log }, opened)
  admin.ready(true)

  return {
    url,
    database,
    services,
    async stop(failure) {
      admin.ready(false)
      // Background work stops first, so that other servers take it over during the drain.
      services.jobs.stop(failure).catch(() => {})
      dispatcher.stop().catch(() => {})
      await drain()
      await opened.disposeAsync()
    }
  }
}

interface AiOptions {
  config: Config
  log: Log
  onTokens: OnTokens
}

async function openAi({ config, log, onTokens }: AiOptions, opened: AsyncDisposableStack) {
  const ai = await chooseAi(config, onTokens)
  opened.defer(() => ai.close())
  const { embedder } = config
  for (const warning of [ai.lexicalReason, embedder.kind === 'bundled' ? embedder.warning : undefined])
    if (warning) log.warn(warning)
  return ai
}

interface AdminPortOptions {
  config: Config
  database: Connected
  metrics: Metrics
  log: Log
}

/** Listens on the admin port. `serve` adds the admin API; `ready` is what readiness answers. */
async function openAdminPort({ config, database, metrics, log }: AdminPortOptions, opened: AsyncDisposableStack) {
  let isServing = false
  let adminApi: Awaited<ReturnType<typeof buildAdminApi>> | undefined
  // A table, because `select 1` succeeds where the tables cannot be found. Every node of a cluster has this one.
  const ping = () => within(1_000, database.pool.query('select from secret_key_checks limit 1')).then(() => {})
  log.watchDatabase(ping, () => requireNodes(database.pool))
  const deps = { isServing: () => isServing, ping, metrics: metrics.text, names: config.admin.names }
  const admin = buildAdmin({ ...deps, adminApi: () => adminApi }, log)
  opened.defer(() => admin.close())
  await listen(admin, config.admin, ADMIN_PORT)
  return {
    async serve(services: Services) {
      const options = { key: config.adminApiKey, attemptsPerMinute: config.rateLimits.perMinute, logger: log }
      const api = await buildAdminApi(services, options)
      await api.ready()
      adminApi = api
      opened.defer(async () => {
        adminApi = undefined
        await api.close()
      })
    },
    ready(now: boolean) {
      isServing = now
    }
  }
}

async function openLeftoversOf(
  config: Config,
  { db, clock, commits }: Connected,
  onError: (error: Error) => void,
  opened: AsyncDisposableStack
) {
  // Several servers on a PostgreSQL may share DATA_DIR; the embedded database has one server.
  const { uploadFolder, partsFolder, exportsFolder } = dataFoldersOf(config)
  if (config.database.url === undefined) await removeAllUploads(uploadFolder)
  const folders = {
    outbox: config.mail.outbox,
    uploads: uploadFolder,
    parts: partsFolder,
    exports: exportsFolder,
    sound: config.sound.folder
  }
  // A killed process may have had the id of this one.
  await removeOwnSound(folders.sound)
  const leftovers = openLeftovers({ db, clock, ...folders, onError })
  opened.defer(() => leftovers.stop())
  commits.on('deletions', leftovers.wake)
}

function startDispatcher(
  { db, slow, commits }: Connected,
  { clock, sender }: Services,
  listeners: Pick<DispatcherOptions, 'onError' | 'onAttempt'>,
  opened: AsyncDisposableStack
) {
  const dispatcher = openDispatcher({ db: slow, isDistributed: db.isDistributed, commits, clock, sender, ...listeners })
  opened.defer(() => dispatcher.stop())
  return dispatcher
}

/** Opens and migrates the database of `config`, and makes sure that its secrets were encrypted with this server's key. */
async function openServerDatabase(
  config: Config,
  listeners: Pick<ConnectionOptions, 'onError' | 'onWait' | 'onMigrated'>
): Promise<Connected> {
  createDataDir(config.database.dataDir)
  protectDataDir(config.database.dataDir)
  const database = await connect(config, {
    share: false,
    name: 'parlance serve',
    ...MAX_WAITING,
    ...listeners
  })
  try {
    if (!(await claimKey(database.db, config.secretKey, database.clock.now()))) throw new OperatorError(ANOTHER_KEY)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}
