import { openAdmissions } from '../accounts/admission.ts'
import type { Ai } from '../ai/ai.ts'
import { openQueryEmbedder } from '../ai/query-embedder.ts'
import {
  type Connected,
  chooseMail,
  chooseMedia,
  chooseOidc,
  mailsLinks,
  publicUrlOf,
  uploadFoldersOf
} from '../compose.ts'
import type { Config } from '../config/config.ts'
import { openDiskReserve } from '../core/disk-reserve.ts'
import { openArrivals } from '../events/arrivals.ts'
import { openReader } from '../ingest/reader/reader.ts'
import { openUploadBudget } from '../ingest/upload.ts'
import { openJobs } from '../jobs/jobs.ts'
import type { Services } from '../services.ts'
import { openTranscriptWriter } from '../transcripts/writer/writer.ts'
import { openFetcher } from '../webhooks/fetcher.ts'
import { openSender } from '../webhooks/sender.ts'

interface Opened {
  database: Connected
  ai: Ai
  onError: (error: Error) => void
}

/** Opens the services of a server, which checks them itself. What it opens is closed with `opened`. */
export async function openServices(
  config: Config,
  { database, ai, onError }: Opened,
  opened: AsyncDisposableStack
): Promise<Omit<Services, 'diagnose'>> {
  const { db, slow, replica, clock, quotas, retention } = database
  const { rateLimits, secretKey, searchWaitMs, signUp } = config
  const diskReserve = openDiskReserve(config.diskReserveMib)
  const media = await chooseMedia(config, diskReserve)
  opened.defer(() => media.close())
  const jobs = await openJobs(database, { supervise: true, onError })
  opened.defer(() => jobs.stop())
  const reader = openReader()
  opened.defer(() => reader.close())
  const writer = openTranscriptWriter()
  opened.defer(() => writer.close())
  const mail = await chooseMail(config)
  opened.defer(() => mail.close())
  const oidc = await chooseOidc(config, clock)
  opened.defer(() => oidc?.close())
  const sender = openSender({ secretKey, settings: { ...config.webhooks, ...config.outbound }, clock })
  opened.defer(() => sender.close())
  const fetcher = openFetcher({ ...config.webhooks, ...config.outbound })
  opened.defer(() => fetcher.close())
  const admissions = openAdmissions(db, clock, rateLimits)
  opened.defer(() => admissions.stop())
  return {
    db,
    slow,
    replica,
    clock,
    jobs,
    media,
    reader,
    writer,
    mail,
    sender,
    fetcher,
    admissions,
    arrivals: openArrivals(db, database.commits),
    ai,
    rateLimits,
    quotas,
    retention,
    secretKey,
    signUp,
    oidc,
    mailsLinks: mailsLinks(config),
    queryEmbedder: openQueryEmbedder(ai, clock, searchWaitMs),
    transcribes: config.transcription !== undefined,
    ...uploadFoldersOf(config),
    sound: config.sound,
    diskReserve,
    openUploads: openUploadBudget(),
    publicUrl: publicUrlOf(config)
  }
}
