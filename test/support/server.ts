import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { packDocument } from '../../src/contract/packed-document.ts'
import type { Quotas } from '../../src/contract/quotas.ts'
import { ALL_SCOPES, type Scope } from '../../src/contract/scopes.ts'
import { everyScope } from '../../src/features/access/actor.ts'
import { openAdmissions } from '../../src/features/access/admission.ts'
import { openLongReads } from '../../src/features/access/long-reads.ts'
import { issueToken } from '../../src/features/access/tokens.ts'
import { openArrivals } from '../../src/features/events/arrivals.ts'
import { importDocument } from '../../src/features/ingest/operations.ts'
import { processSession } from '../../src/features/ingest/pipeline.ts'
import { openReader } from '../../src/features/ingest/reader/reader.ts'
import { openUploadBudget } from '../../src/features/ingest/upload.ts'
import { localMedia } from '../../src/features/recordings/local-store.ts'
import type { Services } from '../../src/features/services.ts'
import { readImportDocument } from '../../src/features/transcript-formats/read-document.ts'
import { openTranscriptWriter } from '../../src/features/transcripts/writer/writer.ts'
import type { WebhookSettings } from '../../src/features/webhooks/address.ts'
import { openFetcher } from '../../src/features/webhooks/fetcher.ts'
import { openSender } from '../../src/features/webhooks/sender.ts'
import { type AppOptions, buildApp } from '../../src/interfaces/http/app.ts'
import type { Ai } from '../../src/platform/ai/ai.ts'
import { openQueryEmbedder } from '../../src/platform/ai/query-embedder.ts'
import type { Clock } from '../../src/platform/core/clock.ts'
import { newId } from '../../src/platform/core/ids.ts'
import type { Database, OpenDatabase } from '../../src/platform/db/open.ts'
import type { Jobs } from '../../src/platform/jobs/jobs.ts'
import type { Mail } from '../../src/platform/mail/mail.ts'
import type { MediaStore } from '../../src/platform/ports/media-store.ts'
import type { Reader, Recordings } from '../../src/platform/ports/reader.ts'
import type { TranscriptWriter } from '../../src/platform/ports/transcript-writer.ts'
import { openDiskReserve } from '../../src/platform/work/disk-reserve.ts'
import { plainAi } from './ai.ts'
import { holdToDocument } from './described.ts'
import { openPatientDatabase } from './patient-database.ts'
import { addPlainUser } from './plain-user.ts'
import { withoutParam } from './refusal.ts'

export const SECRET_KEY = 'a secret for tests, and for nothing else'
export const NOW = '2026-03-02T10:00:00.000Z'
export const PUBLIC_URL = 'http://parlance.test'
export const clock = { now: () => new Date(NOW) }

/** Tests of quotas set their own. */
export const NO_QUOTAS = { bytes_stored: 0, sessions_per_day: 0, folders: 0, people: 0 }

/** Tests of retention set their own. */
export const NO_RETENTION = { audio_days: null, session_days: null }

/** The folder of this worker's uploads. */
export const UPLOADS = join(tmpdir(), `parlance-test-uploads-${process.pid}`)

let opened: Promise<OpenDatabase> | undefined
let served: ReturnType<typeof serve> | undefined

/** Opens the database of this worker: its own copy of the embedded template, or the Postgres that all share. */
export function testDatabase() {
  opened ??= open()
  return opened
}

async function open() {
  const where = inject('database')
  const common = { share: false, name: 'parlance test', onError: () => {} }
  if ('url' in where) return await openPatientDatabase({ url: where.url, dataDir: '', ...common })
  const dataDir = mkdtempSync(join(tmpdir(), 'parlance-test-'))
  cpSync(where.template, dataDir, { recursive: true })
  process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  return await openPatientDatabase({ url: undefined, dataDir, ...common })
}

/** Services in place of those of the tests, and the time that a search waits for the query embedding. */
type Overrides = Partial<Services> & { searchWaitMs?: number }

/** The services of this worker, on its database. */
export async function testServices({ searchWaitMs = 2_000, ...overrides }: Overrides = {}): Promise<Services> {
  const { db, commits } = await testDatabase()
  const rateLimits = overrides.rateLimits ?? { perMinute: 100_000, perDay: 1_000_000 }
  return {
    db,
    slow: db,
    replica: db,
    clock,
    jobs: NO_QUEUE,
    media: testMedia(),
    reader: testReader(),
    writer: testWriter(),
    longReads,
    mail: NO_MAIL,
    admissions: openAdmissions(db, overrides.clock ?? clock, rateLimits),
    rateLimits,
    quotas: NO_QUOTAS,
    retention: NO_RETENTION,
    arrivals: overrides.arrivals ?? openArrivals(overrides.db ?? db, commits),
    sender: testSender(),
    fetcher: testFetcher(),
    publicUrl: PUBLIC_URL,
    secretKey: SECRET_KEY,
    signUp: 'invited',
    oidc: undefined,
    oauth: { advertisesDocuments: true, lanRedirects: false },
    mailsLinks: true,
    ai: plainAi(),
    queryEmbedder: openQueryEmbedder(overrides.ai ?? plainAi(), overrides.clock ?? clock, searchWaitMs),
    transcribes: false,
    uploadFolder: UPLOADS,
    partsFolder: `${UPLOADS}-parts`,
    exportsFolder: `${UPLOADS}-exports`,
    sound: { folder: `${UPLOADS}-sound`, programPath: process.env.PATH },
    diskReserve: openDiskReserve(0),
    openUploads: openUploadBudget(),
    diagnose: async () => [],
    ...overrides
  }
}

/** Builds an application of its own on this worker's database. */
export async function buildTestApp(overrides: Overrides = {}, options?: AppOptions) {
  const app = await buildApp(await testServices(overrides), options)
  holdToDocument(app, 'public')
  return app
}

let reader: Reader | undefined

/** The processes that read large bodies and files for this worker's tests. */
export function testReader() {
  reader ??= openReader()
  return reader
}

const longReads = openLongReads()
let writer: TranscriptWriter | undefined

/** The process that writes long transcripts for this worker's tests. */
export function testWriter() {
  writer ??= openTranscriptWriter(longReads)
  return writer
}

let media: MediaStore | undefined
let mediaFolder: string | undefined

/** Returns the store of this worker's recordings, in a folder of its own. */
export function testMedia() {
  media ??= localMedia(testMediaFolder(), openDiskReserve(0))
  return media
}

export function testMediaFolder() {
  mediaFolder ??= makeMediaFolder()
  return mediaFolder
}

function makeMediaFolder() {
  const root = mkdtempSync(join(tmpdir(), 'parlance-test-media-'))
  process.on('exit', () => rmSync(root, { recursive: true, force: true }))
  return root
}

/** Sends webhooks to this machine, where the receivers of tests are. */
export function testSender(settings: Partial<WebhookSettings> = {}, at: Clock = clock) {
  const local = { allowHttp: true, allowedCidrs: ['127.0.0.0/8', '::1/128'] }
  return openSender({ secretKey: SECRET_KEY, settings: { ...local, ...settings }, clock: at })
}

/** Reads the documents of OAuth clients on this machine. */
export function testFetcher(settings: Partial<WebhookSettings> = {}) {
  return openFetcher({ allowHttp: true, allowedCidrs: ['127.0.0.0/8', '::1/128'], ...settings })
}

async function serve() {
  const { db } = await testDatabase()
  return { db, app: await buildTestApp() }
}

/** Returns the application that most tests share. A test has its data to itself, because its user is new. */
export function testServer() {
  served ??= serve()
  return served
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** Adds a user with a token of those scopes. Returns functions that send requests with it. */
export async function newUser(...scopes: Scope[]) {
  return await newUserOf(await testServer(), ...scopes)
}

export interface Served {
  db: Database
  app: Awaited<ReturnType<typeof buildApp>>
}

/** Like `newUser`, for an application on a database of the test's own. */
export async function newUserOf({ db, app }: Served, ...scopes: Scope[]) {
  const userId = newId('usr')
  await addPlainUser(db, userId, { createdAt: clock.now() })
  const issued = await issueToken(db, userId, 'test', scopes.length > 0 ? scopes : ALL_SCOPES, clock.now())
  const ask = async (
    method: Method,
    url: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {}
  ) => {
    const payload = body === undefined ? {} : { payload: body as object }
    const reply = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${issued.token}`, ...headers },
      ...payload
    })
    const isJson = String(reply.headers['content-type']).startsWith('application/json')
    return { status: reply.statusCode, body: isJson ? withoutParam(reply.json()) : reply.body, headers: reply.headers }
  }
  /** Sends a request and returns the answer without its headers, to compare all of it. */
  const plain = (method: Method) => async (url: string, body?: unknown, headers?: Record<string, string>) => {
    const { headers: _, ...answer } = await ask(method, url, { body, ...(headers && { headers }) })
    return answer
  }
  return {
    db,
    app,
    id: userId,
    token: issued.token,
    tokenId: issued.id,
    /** Sends a request and returns the answer with its headers. */
    ask,
    send: (url: string, headers: Record<string, string> = {}) => ask('GET', url, { headers }),
    get: (url: string) => plain('GET')(url),
    post: plain('POST'),
    patch: plain('PATCH'),
    delete: plain('DELETE'),
    /** Makes a session from the import document. */
    session: (document: object = {}, ai?: Ai) => addSession(userId, document, ai, db)
  }
}

export const SPOKEN = [
  { speaker: 'Ada', start: 0, end: 4.5, text: 'Welcome to the weekly review.' },
  { speaker: 'Ben', start: 4.5, end: 9, text: "I'll send the offer." }
]

/** Imports a document and completes it at once, without the queue. */
export async function addSession(userId: string, document: object = {}, ai = plainAi(), db?: Database) {
  const sessionId = await acceptSession(userId, document, db)
  await completeSession(userId, sessionId, ai, db)
  return sessionId
}

/** Runs the pipeline for an imported session. */
export async function completeSession(
  userId: string,
  sessionId: string,
  ai = plainAi(),
  db?: Database,
  quotas: Quotas = NO_QUOTAS
) {
  const pipeline = {
    db: db ?? (await testDatabase()).db,
    ai,
    media: testMedia(),
    clock,
    quotas,
    ...FOR_PIPELINE,
    onFailure: () => {}
  }
  await processSession(pipeline, { userId, sessionId }, { last: true, signal: new AbortController().signal })
}

/** Imports a document with recordings, and leaves it processing. */
export async function acceptSession(userId: string, document: object = {}, db?: Database, recordings: Recordings = {}) {
  const importer = {
    db: db ?? (await testDatabase()).db,
    jobs: NO_QUEUE,
    clock,
    media: testMedia(),
    quotas: NO_QUOTAS,
    transcribes: false
  }
  const read = readImportDocument({ title: 'Weekly review', segments: SPOKEN, ...document })
  const source = { document: packDocument(read), fallbackTitle: 'Untitled', recordings }
  return (await importDocument(importer, everyScope(userId, 'command'), source)).session.id
}

/** Tests of mail open a mail server. */
const NO_MAIL: Mail = {
  send: () => Promise.reject(new Error('This application sends no mail')),
  check: async () => '',
  close() {}
}

/** Tests run the work themselves, so that they need not wait for it. The queue has tests of its own. */
/** What the pipeline needs for long recordings, and for a provider that is away. */
export const FOR_PIPELINE = {
  get jobs() {
    return NO_QUEUE
  },
  get writer() {
    return testWriter()
  },
  sound: { folder: `${UPLOADS}-sound`, programPath: undefined },
  onWait: () => {}
}

export const NO_QUEUE: Jobs = {
  enqueue: async () => {},
  findSessionJobs: async () => new Map(),
  inspectQueues: async () => ({ counts: [], reasons: [] }),
  repeat: async () => {},
  work: async () => {},
  stop: async () => {}
}
