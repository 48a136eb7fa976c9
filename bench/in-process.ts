import { EventEmitter } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAdmissions } from '../src/features/access/admission.ts'
import { openLongReads } from '../src/features/access/long-reads.ts'
import { openArrivals } from '../src/features/events/arrivals.ts'
import { openReader } from '../src/features/ingest/reader/reader.ts'
import { openUploadBudget } from '../src/features/ingest/upload.ts'
import { localMedia } from '../src/features/recordings/local-store.ts'
import { openTranscriptWriter } from '../src/features/transcripts/writer/writer.ts'
import { openFetcher } from '../src/features/webhooks/fetcher.ts'
import { openSender } from '../src/features/webhooks/sender.ts'
import { buildApp } from '../src/interfaces/http/app.ts'
import type { Ai } from '../src/platform/ai/ai.ts'
import { openQueryEmbedder } from '../src/platform/ai/query-embedder.ts'
import type { Clock } from '../src/platform/core/clock.ts'
import type { Database } from '../src/platform/db/open.ts'
import type { Jobs } from '../src/platform/jobs/jobs.ts'
import { directoryMail } from '../src/platform/mail/directory.ts'
import { openDiskReserve } from '../src/platform/work/disk-reserve.ts'

/** A queue that holds no jobs: the importing code also processes the session. */
export const NO_QUEUE: Jobs = {
  enqueue: async () => {},
  findSessionJobs: async () => new Map(),
  inspectQueues: async () => ({ counts: [], reasons: [] }),
  repeat: async () => {},
  work: async () => {},
  stop: async () => {}
}

/** The folder of the offline embedding model's file. */
export const MODEL_FOLDER = join(tmpdir(), 'parlance-models')

/** A store without recordings, because sessions of the benchmark have none. */
export const noMedia = () => localMedia(join(tmpdir(), 'parlance-bench-media'), openDiskReserve(0))

const SECRET_KEY = 'a secret for benchmarks, and for nothing else'
/** Limits that refuse no request. */
const RATE_LIMITS = { perMinute: 1e9, perDay: 1e9 }

/** Quotas without a limit. */
export const NO_QUOTAS = { bytes_stored: 0, sessions_per_day: 0, folders: 0, people: 0 }

/** Builds the product's application in this process, without a server around it. */
export function buildBenchApp(db: Database, ai: Ai, clock: Clock) {
  const longReads = openLongReads()
  return buildApp({
    db,
    slow: db,
    replica: db,
    ai,
    clock,
    jobs: NO_QUEUE,
    media: noMedia(),
    arrivals: openArrivals(db, new EventEmitter()),
    reader: openReader(),
    writer: openTranscriptWriter(longReads),
    longReads,
    mail: directoryMail(join(tmpdir(), 'parlance-bench-mail'), 'Parlance <parlance@localhost>'),
    admissions: openAdmissions(db, clock, RATE_LIMITS),
    rateLimits: RATE_LIMITS,
    quotas: NO_QUOTAS,
    retention: { audio_days: null, session_days: null },
    fetcher: openFetcher({ allowHttp: false, allowedCidrs: [] }),
    sender: openSender({ secretKey: SECRET_KEY, settings: { allowHttp: false, allowedCidrs: [] }, clock }),
    queryEmbedder: openQueryEmbedder(ai, clock, 60_000),
    transcribes: false,
    uploadFolder: join(tmpdir(), 'parlance-bench-uploads'),
    partsFolder: join(tmpdir(), 'parlance-bench-parts'),
    exportsFolder: join(tmpdir(), 'parlance-bench-exports'),
    sound: { folder: join(tmpdir(), 'parlance-bench-sound'), programPath: undefined },
    diskReserve: openDiskReserve(0),
    openUploads: openUploadBudget(),
    oauth: { advertisesDocuments: true, lanRedirects: false },
    publicUrl: 'http://localhost',
    secretKey: SECRET_KEY,
    signUp: 'closed',
    oidc: undefined,
    mailsLinks: true,
    diagnose: async () => []
  })
}
