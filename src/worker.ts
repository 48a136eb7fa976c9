import closeWithGrace from 'close-with-grace'
import type { Ai } from './ai/ai.ts'
import { openRequests } from './ai/offline/thread.ts'
import { reasonOf } from './cli/output.ts'
import { chooseAi, chooseMedia, clock, withItsTime } from './compose.ts'
import { type Closers, closeAll } from './core/closers.ts'
import { MOST_WAITING } from './db/bounded-pool.ts'
import { openDatabase } from './db/open.ts'
import { openLog } from './http/log.ts'
import { openJobs } from './jobs/jobs.ts'
import { openWorkerMetrics } from './metrics/metrics.ts'
import { openPublicPort } from './public.ts'
import { openSender } from './webhooks/sender.ts'
import type { Beginning, Order, Report } from './workers/messages.ts'

/** One of several processes that serve the public port. All else is done by the process that started it; without that one it ends at once. */

/** They are for the first process, which tells its workers: a terminal or a service manager sends them to all. */
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR2'] as const
for (const signal of SIGNALS) process.on(signal, () => {})

const vectors = openRequests<number[][]>()
let running: Awaited<ReturnType<typeof begin>> | undefined

process.on('message', (order: Order) => {
  if (order.kind === 'ping') tell({ kind: 'pong' })
  if (order.kind === 'embedded') vectors.settle(order.reply)
  if (order.kind === 'count') void running?.samples().then(samples => tell({ kind: 'counted', id: order.id, samples }))
  if (order.kind === 'stop') running?.stop()
  if (order.kind === 'begin') {
    begin(order.beginning).then(
      begun => {
        running = begun
        tell({ kind: 'serving', url: begun.url })
      },
      fault => tell({ kind: 'failed', reason: reasonOf(fault) }, () => process.exit(1))
    )
  }
})
tell({ kind: 'here' })

function tell(report: Report, told = () => {}) {
  process.send?.(report, told)
}

async function begin({ worker, config, embedder }: Beginning) {
  const log = openLog(config.logLevel, worker)
  const onError = (fault: Error) => log.error(fault, 'background fault')
  const opened: Closers = []
  // Brought up to date by the first process. While a newer version takes over it may be ahead of this one, which goes on.
  const options = { ...config.database, share: false, name: 'parlance serve', mostWaiting: MOST_WAITING, onError }
  const database = await withItsTime(await openDatabase(options))
  opened.push(() => database.close())
  for (const topic of ['deliveries', 'deletions'] as const) database.commits.on(topic, () => tell({ kind: 'committed', topic }))
  const ai = embedder ? { embedder, embed: askFirst } : await chooseOwn()
  const media = await chooseMedia(config)
  opened.push(async () => media.close())
  const jobs = await openJobs(database, { supervise: false, onError })
  opened.push(() => jobs.stop())
  const sender = openSender({ secretKey: config.secretKey, settings: config.webhooks, clock })
  opened.push(() => sender.close())
  const { meter, samples } = openWorkerMetrics(database, worker)
  const { url, drain } = await openPublicPort({ config, database, ai, media, jobs, sender, meter, log }, opened)
  const { close } = closeWithGrace({ delay: 35_000, logger: log, skip: [...SIGNALS] }, async ({ err }) => {
    if (err) log.error(err, 'stopping after a fault')
    await drain()
    await closeAll(opened)
  })
  return { url, samples, stop: () => void close() }

  async function chooseOwn(): Promise<Ai> {
    const own = await chooseAi(config)
    opened.push(() => own.close())
    return own
  }
}

async function askFirst(texts: string[], signal?: AbortSignal) {
  signal?.throwIfAborted()
  const { id, answer } = vectors.open(signal)
  tell({ kind: 'embed', id, texts })
  return await answer
}
