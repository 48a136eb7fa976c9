import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { Check } from '../contract/check.ts'
import { findMiscounted } from '../features/accounts/recount.ts'
import { countUnreadable } from '../features/webhooks/stored-secrets.ts'
import type { Embeddings } from '../platform/ai/ai.ts'
import type { Config } from '../platform/config/config.ts'
import { listExposed, requireWritable } from '../platform/config/data-dir.ts'
import { maskPassword } from '../platform/config/environment.ts'
import type { Provider } from '../platform/config/provider-settings.ts'
import { OperatorError } from '../platform/core/operator-error.ts'
import { measureClockSkew } from '../platform/db/clock.ts'
import { inspectDatabase } from '../platform/db/migrate.ts'
import type { OpenDatabase } from '../platform/db/open.ts'
import { measureReplicaLag } from '../platform/db/replica.ts'
import { requireReplicaSettings } from '../platform/db/server-address.ts'
import { checkProxy } from '../platform/net/tunnel.ts'
import { findExisting } from '../platform/work/existing-folder.ts'
import { checkCluster } from './check-cluster.ts'
import { checkFfmpeg } from './check-ffmpeg.ts'
import type { Sources } from './check-sources.ts'
import { chooseSummaries, chooseTranscripts, hasDatabase, linkWarning, publicUrlOf } from './compose.ts'
import { ANOTHER_KEY, isKnownKey } from './secret-key.ts'

/** Free space below which the embedded database, recordings and the ledger of deletions soon stop. */
const MIN_FREE_BYTES = 1024 ** 3
/** Clock difference beyond which tokens, links and signatures expire at the wrong time. */
const MAX_SKEW_SECONDS = 5

/** Checks everything that the configuration names. */
export async function runChecks(config: Config, sources: Sources): Promise<Check[]> {
  // Before the embedded database is opened, since that corrects it.
  const privacy = await check('privacy', async () => checkPrivacy(config.database.dataDir))
  const others = await Promise.all([
    checkDatabase(config, sources),
    // A warning only: on one machine such links work.
    [{ check: 'links', ok: true, detail: linkWarning(config) ?? publicUrlOf(config) }],
    checkProxies(config),
    checkAi(config, sources),
    checkFfmpeg(config),
    check('media', () => checkMedia(sources)),
    check('mail', () => checkMail(sources)),
    config.oidc ? check('oidc', () => checkOidc(config, sources)) : [],
    check('disk', () => checkDisk(config.database.dataDir))
  ])
  return [privacy, ...others.flat()]
}

/** One check for each proxy; none without a proxy. */
async function checkProxies({ outbound: { proxies } }: Config) {
  const urls = [...new Set([proxies.https, proxies.http])].filter(url => url !== undefined).map(url => new URL(url))
  const ask = async (url: URL) => {
    await checkProxy(url)
    return `${url.host} answers`
  }
  return await Promise.all(urls.map(url => check('proxy', () => ask(url))))
}

async function check(name: string, ask: () => Promise<string>): Promise<Check> {
  try {
    return { check: name, ok: true, detail: await ask() }
  } catch (error) {
    return { check: name, ok: false, detail: error instanceof Error ? error.message : String(error) }
  }
}

/** Checks the database and everything that is read from it. If it cannot be reached, only that is reported. */
async function checkDatabase(config: Config, sources: Sources): Promise<Check[]> {
  if (!hasDatabase(config.database))
    return [
      {
        check: 'database',
        ok: true,
        detail: `none yet; the server creates an embedded one in ${config.database.dataDir}`
      }
    ]
  let opened: OpenDatabase | undefined
  let upToDate = false
  const database = await check('database', async () => {
    opened = await sources.database()
    const found = await inspectDatabase(opened.address)
    upToDate = found.pending === 0
    return describeDatabase(found, opened)
  })
  const { pool, db, address } = opened ?? {}
  try {
    if (!pool || !db || !address) return [database]
    // A node that is away fails the check of the database too.
    const isCluster = await db.isDistributed().catch(() => false)
    const nodes = isCluster ? [await check('nodes', () => checkCluster({ pool, address }))] : []
    if (!database.ok) return [database, ...nodes]
    const { replicaUrl } = config.database
    return [
      database,
      ...(replicaUrl ? [await check('replica', () => checkReplica(pool, replicaUrl))] : []),
      ...nodes,
      await check('clock', () => checkClock(pool)),
      // An older schema may lack the tables.
      ...(upToDate
        ? [
            await check('secret_key', () => checkSecretKey(db, config)),
            await check('webhooks', () => checkWebhooks(db, config)),
            await check('quotas', () => checkQuotas(db))
          ]
        : [])
    ]
  } finally {
    await opened?.close()
  }
}

function describeDatabase(
  { postgres, vector, pending }: Awaited<ReturnType<typeof inspectDatabase>>,
  { engine }: OpenDatabase
) {
  return `PostgreSQL ${postgres} (${engine ? 'embedded' : 'server'}), pgvector ${vector}, ${pending === 0 ? 'up to date' : `migrations to apply: ${pending}`}`
}

async function checkClock(pool: OpenDatabase['pool']) {
  const skew = await measureClockSkew(pool)
  const words = `${Math.abs(skew).toFixed(1)} s ${skew < 0 ? 'behind' : 'ahead of'} this machine's`
  if (Math.abs(skew) > MAX_SKEW_SECONDS) throw new OperatorError(`The database's clock is ${words}; set both by NTP`)
  return Math.abs(skew) < 0.1 ? "the database's clock is this machine's" : `the database's clock is ${words}`
}

/** The replica's lag behind what the primary has written so far. */
async function checkReplica(pool: OpenDatabase['pool'], url: string) {
  await requireReplicaSettings(url)
  const behind = await measureReplicaLag(pool, url)
  if (behind === undefined) throw new OperatorError('DATABASE_REPLICA_URL is no replica: it takes changes of its own')
  return behind === 0 ? 'has all that the database has' : `${behind.toLocaleString('en')} bytes behind the database`
}

async function checkSecretKey(db: OpenDatabase['db'], { secretKey }: Config) {
  if ((await isKnownKey(db, secretKey)) === false) throw new OperatorError(ANOTHER_KEY)
  return 'the one that the database is used with'
}

async function checkWebhooks(db: OpenDatabase['db'], { webhooks, secretKey }: Config) {
  const unreadable = await countUnreadable(db, secretKey)
  if (unreadable.secrets > 0)
    throw new OperatorError(`SECRET_KEY does not decrypt the secrets of ${unreadable.secrets} webhooks; rotate them`)
  if (unreadable.headers > 0)
    throw new OperatorError(
      `SECRET_KEY does not decrypt the headers of ${unreadable.headers} webhooks; their owners set them again`
    )
  const networks = ['public addresses', ...webhooks.allowedCidrs].join(', ')
  return `${webhooks.allowHttp ? 'https and http' : 'https'} to ${networks}`
}

async function checkQuotas(db: OpenDatabase['db']) {
  const { length } = await findMiscounted(db)
  if (length > 0)
    throw new OperatorError(`The counts of ${length} users are wrong; run: npm run -s parlance -- user recount`)
  return 'the counts of every user are right'
}

async function checkMedia(sources: Sources) {
  const media = await sources.media()
  return await media.check().finally(() => media.close())
}

async function checkMail(sources: Sources) {
  const mail = await sources.mail()
  return await mail.check().finally(() => mail.close())
}

async function checkOidc(config: Config, sources: Sources) {
  const provider = await sources.oidc()
  if (!provider || !config.oidc) return 'none'
  await provider.check().finally(() => provider.close())
  const open = config.signUp === 'open' && config.oidc.allowedDomains.length === 0
  const warning = open ? '; SIGN_UP is open, so everyone with a verified address there becomes a user' : ''
  return `${config.oidc.issuer} answers; register the redirect URI ${provider.redirectUri} there${warning}`
}

/** Asks the server of each job for the smallest piece of it: one that makes transcripts may refuse a summary. */
async function checkAi(config: Config, sources: Sources): Promise<Check[]> {
  const { summaries, transcription } = config
  const checks = await Promise.all([
    check('summaries', async () => {
      await checkThenClose(await chooseSummaries(config))
      return summaries ? describeProvider(summaries) : 'offline'
    }),
    transcription
      ? check('transcripts', async () => {
          await checkThenClose(await chooseTranscripts(config))
          return describeProvider(transcription)
        })
      : [],
    check('embeddings', async () => {
      const embeddings = await sources.embeddings()
      await checkThenClose(embeddings)
      return describeEmbeddings(config, embeddings)
    })
  ])
  return checks.flat()
}

async function checkThenClose(checked: Pick<Embeddings, 'check' | 'close'> | undefined) {
  await checked?.check().finally(() => checked.close())
}

function describeProvider({ model, baseUrl }: Pick<Provider, 'model' | 'baseUrl'>) {
  return `${model} at ${maskPassword(baseUrl)}`
}

function describeEmbeddings({ embedder }: Config, embeddings: Embeddings) {
  if (!embeddings.embedder) return embeddings.lexicalReason ?? 'search by terms alone'
  const { model } = embeddings.embedder
  if (embedder.kind === 'provider') return describeProvider({ ...embedder, model })
  if (embedder.kind === 'folder') return `${model} of ${embedder.folder}`
  return embedder.kind === 'bundled' && embedder.warning ? `${model} (${embedder.warning})` : model
}

async function checkDisk(dataDir: string) {
  if (existsSync(dataDir)) requireWritable(dataDir)
  const folder = await findExisting(dataDir)
  const { bavail, blocks, bsize } = await statfs(folder)
  const free = bavail * bsize
  const words = `${gibibytes(free)} of ${gibibytes(blocks * bsize)} GiB free at ${folder}`
  if (free < MIN_FREE_BYTES) throw new OperatorError(`Only ${words}; make room or move DATA_DIR`)
  return words
}

function checkPrivacy(dataDir: string) {
  const exposed = listExposed(dataDir)
  if (exposed.length === 0) return `nobody else on this machine may read what is private in ${dataDir}`
  throw new OperatorError(
    `Others on this machine may read ${exposed.join(' and ')}; start the server, or run: chmod -R go= ${exposed.join(' ')}`
  )
}

function gibibytes(bytes: number) {
  return (bytes / 1024 ** 3).toFixed(1)
}
