import { openAdmissions } from '../features/access/admission.ts'
import { openLongReads } from '../features/access/long-reads.ts'
import { openArrivals } from '../features/events/arrivals.ts'
import { openReader } from '../features/ingest/reader/reader.ts'
import { openUploadBudget } from '../features/ingest/upload.ts'
import type { Services } from '../features/services.ts'
import { openTranscriptWriter } from '../features/transcripts/writer/writer.ts'
import { openFetcher } from '../features/webhooks/fetcher.ts'
import { openSender } from '../features/webhooks/sender.ts'
import type { Ai } from '../platform/ai/ai.ts'
import { type EmbeddingGap, openQueryEmbedder } from '../platform/ai/query-embedder.ts'
import { openVoiceDetector } from '../platform/ai/voice/open-voice-detector.ts'
import type { Config } from '../platform/config/config.ts'
import { openJobs } from '../platform/jobs/jobs.ts'
import { openDiskReserve } from '../platform/work/disk-reserve.ts'
import {
  type Connected,
  chooseMail,
  chooseMedia,
  chooseOidc,
  dataFoldersOf,
  mailsLinks,
  publicUrlOf
} from './compose.ts'

interface Opened {
  database: Connected
  ai: Ai
  onError: (error: Error) => void
  /** Called when searches begin to compare words only, with the reason, and when they compare the meaning again. */
  onEmbeddingGap: (gap: EmbeddingGap | undefined) => void
}

/** Opens the services of a server, which checks them itself. What it opens is closed with `opened`. */
export async function openServices(
  config: Config,
  { database, ai, onError, onEmbeddingGap }: Opened,
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
  const longReads = openLongReads()
  const writer = openTranscriptWriter(longReads)
  opened.defer(() => writer.close())
  const mail = await chooseMail(config)
  opened.defer(() => mail.close())
  const oidc = await chooseOidc(config, clock)
  opened.defer(() => oidc?.close())
  const sender = openSender({ secretKey, settings: { ...config.webhooks, ...config.outbound }, clock })
  opened.defer(() => sender.close())
  const fetcher = openFetcher({ ...config.webhooks, ...config.outbound })
  opened.defer(() => fetcher.close())
  const voices = openVoiceDetector(onError)
  opened.defer(() => voices.close())
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
    longReads,
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
    oauth: config.oauth,
    mailsLinks: mailsLinks(config),
    queryEmbedder: openQueryEmbedder(ai, clock, searchWaitMs, onEmbeddingGap),
    transcribes: config.transcription !== undefined,
    ...dataFoldersOf(config),
    sound: { ...config.sound, voices },
    diskReserve,
    openUploads: openUploadBudget(),
    publicUrl: publicUrlOf(config)
  }
}
