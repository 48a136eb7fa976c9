import { noticeExpiringTokens, sendExpiryMail } from '../features/accounts/expiry-mail.ts'
import { eraseUser } from '../features/deletions/erase-user.ts'
import type { Expired } from '../features/deletions/retention.ts'
import { exportLibrary } from '../features/exports/export-library.ts'
import { attemptSession } from '../features/ingest/pipeline.ts'
import { attemptIndex, type Indexer, reindexSessions } from '../features/ingest/reindex.ts'
import { requeueSessions } from '../features/ingest/retry.ts'
import { retryEachFailed } from '../features/ingest/retry-failed.ts'
import { summarizeAgain } from '../features/ingest/summarize-again.ts'
import { buildVectorIndexes } from '../features/ingest/vector-indexes.ts'
import { INDEX_VERSION } from '../features/library/index/write-terms.ts'
import { type OpenAttempts, openAttempts } from '../features/library/open-attempts.ts'
import { forgetPerson } from '../features/people/delete-person.ts'
import { indexPerson } from '../features/people/index-person.ts'
import { matchPeople } from '../features/people/match-people.ts'
import { purgeMedia } from '../features/recordings/delete.ts'
import type { Services } from '../features/services.ts'
import { sendInvite } from '../features/sharing/invite-mail.ts'
import { sendSignInMail } from '../features/sign-in/sign-in-mail.ts'
import { applyToSessions } from '../features/terms/apply-term.ts'
import { eraseAnswers } from '../features/webhooks/delivery/erase.ts'
import type { Log } from '../interfaces/http/log.ts'
import type { Config } from '../platform/config/config.ts'
import type { OpenDatabase } from '../platform/db/open.ts'
import type { JobData } from '../platform/jobs/queues.ts'
import type { Connected } from './compose.ts'
import { openRetention } from './remove-expired.ts'
import type { Metrics } from './telemetry/metrics.ts'

interface BackgroundOptions {
  config: Config
  database: Connected
  services: Services
  metrics: Metrics
  log: Log
}

/** The sessions that one server processes at a time. More would wait for the one embedding thread; the third is for another owner. */
const SESSIONS = { atOnce: 3, perOwner: 2 }
const MAILS_AT_ONCE = 2
/** A large library takes many minutes. The second place is for another owner. */
const EXPORTS = { atOnce: 2, perOwner: 1 }

const REQUEUE_EVERY_SECONDS = 300
const MATCH_EVERY_SECONDS = 300
const SEARCH_INDEX_EVERY_SECONDS = 600
const EXPIRING_EVERY_SECONDS = 86_400
const RETENTION_EVERY_SECONDS = 6 * 3_600

/** Runs the jobs of every queue from now on, and enqueues the recurring ones. */
export async function startBackground(options: BackgroundOptions) {
  // Shared by the queues, so that an attempt after a death runs without an attempt of another queue beside it.
  const attempts = openAttempts(options.services.db, (session, times) =>
    options.log.warn({ session, times }, 'an attempt at this session did not end; it is tried alone')
  )
  await processSessions(options, attempts)
  await sendMails(options)
  await mailExpiring(options)
  await eraseDeleted(options)
  await keepSearchIndex(options, attempts)
  const { services, log } = options
  const { db, jobs } = services
  await jobs.work('index-person', 2, (data, { signal }) => indexPerson(db, data, signal))
  await jobs.work('forget-person', 1, (data, { signal }) => forgetPerson(services, data, { signal }))
  await jobs.work('apply-term', { atOnce: 2, perOwner: 1 }, (data, attempt) => applyToSessions(services, data, attempt))
  await jobs.work('export-library', EXPORTS, (data, attempt) => exportLibrary(services, data, attempt))
  await jobs.work('match-people', 1, (_, { signal }) => matchPeople({ db, attempts }, signal))
  jobs.repeat('match-people', {}, MATCH_EVERY_SECONDS)
  const onStep = () => log.warn('the clock has stepped by more than a day; nothing expires until the next run')
  const onDeleted = (deleted: readonly Expired[]) => {
    for (const { session, what } of deleted) log.info({ session }, `${what} deleted by retention`)
  }
  const removeOld = openRetention(services, { onStep, onDeleted })
  await jobs.work('retention', 1, (_, { signal }) => removeOld(signal))
  jobs.repeat('retention', {}, RETENTION_EVERY_SECONDS)
}

async function processSessions({ services, metrics, log }: BackgroundOptions, attempts: OpenAttempts) {
  const { jobs } = services
  const onFailure = (session: string, reason: string) => {
    metrics.sessionFailed()
    log.warn({ session, reason }, 'session failed')
  }
  const onWait = (session: string, reason: string) => {
    metrics.providerAway()
    log.warn({ session, reason }, 'the provider of AI does not answer; the session waits')
  }
  const pipeline = { ...services, attempts, onFailure, onWait }
  await jobs.work('process-session', SESSIONS, (data, attempt) => attemptSession(pipeline, data, attempt))
  const onNotSummarized = (session: string, reason: string) =>
    log.warn({ session, reason }, 'session not summarized again')
  const summarizer = { ...services, onFailure: onNotSummarized }
  await jobs.work('summarize-session', { atOnce: 2, perOwner: 1 }, (data, attempt) =>
    summarizeAgain(summarizer, data, attempt)
  )
  await jobs.work('requeue-sessions', 1, async (_, { signal }) => void (await requeueSessions(pipeline, signal)))
  jobs.repeat('requeue-sessions', {}, REQUEUE_EVERY_SECONDS)
  await jobs.work('retry-failed', 1, async (data, { signal }) =>
    log.info(await retryEachFailed(services, data, signal), 'retried failed sessions')
  )
}

async function sendMails({ services, log }: BackgroundOptions) {
  const onFailure = (invite: string, reason: string) => log.warn({ invite, reason }, 'invite not sent')
  const inviter = { ...services, onFailure }
  await services.jobs.work('send-invite', MAILS_AT_ONCE, (data, attempt) => sendInvite(inviter, data, attempt))
  const onNotSent = (link: string, reason: string) => log.warn({ link, reason }, 'sign-in link not sent')
  const signer = { ...services, onFailure: onNotSent }
  await services.jobs.work('mail-sign-in', MAILS_AT_ONCE, (data, attempt) => sendSignInMail(signer, data, attempt))
}

/** Without a mail server nothing is sent: nobody would look for a warning in the mail directory. */
async function mailExpiring({ config, services, log }: BackgroundOptions) {
  if (config.mail.smtpUrl === undefined) return
  const { jobs } = services
  const onFailure = (token: string, reason: string) =>
    log.warn({ token, reason }, 'mail about an expiring token not sent')
  const mailer = { ...services, onFailure }
  await jobs.work('mail-expiry', 1, (data, attempt) => sendExpiryMail(mailer, data, attempt))
  await jobs.work('find-expiring', 1, (_, { signal }) => noticeExpiringTokens(services, signal))
  jobs.repeat('find-expiring', {}, EXPIRING_EVERY_SECONDS)
}

async function eraseDeleted({ services: { db, jobs, media }, log }: BackgroundOptions) {
  await jobs.work('purge-media', 1, data =>
    purgeMedia({ db, media }, data).catch((error: Error) => {
      log.warn({ session: data.sessionId, reason: error.message }, 'recording not deleted yet')
      throw error
    })
  )
  await jobs.work('delete-user', 1, ({ userId }, { signal }) => eraseUser({ db, jobs }, userId, signal))
  await jobs.work('erase-answers', 1, async ({ userId, sessionId }) => void (await eraseAnswers(db, userId, sessionId)))
}

async function keepSearchIndex({ database, services: { jobs, ai }, log }: BackgroundOptions, attempts: OpenAttempts) {
  const onGiveUp = (session: string) =>
    log.warn({ session }, 'session not indexed again: work on it ended the process three times')
  const indexer = { db: database.db, ai, attempts, onGiveUp }
  await jobs.work('index-session', { atOnce: 2, perOwner: 1 }, async ({ userId, sessionId }, { signal }) => {
    await attemptIndex(indexer, userId, sessionId, signal)
  })
  await jobs.work('search-index', 1, (data, { signal }) => refreshSearchIndex(database, indexer, data, signal))
  jobs.repeat('search-index', { version: INDEX_VERSION, model: ai.embedder?.model ?? null }, SEARCH_INDEX_EVERY_SECONDS)
}

async function refreshSearchIndex(
  database: OpenDatabase,
  indexer: Indexer,
  { version, model }: JobData['search-index'],
  signal: AbortSignal
) {
  const { ai } = indexer
  // During an upgrade each job belongs to the servers that sent it; otherwise old and new servers would undo each other's work.
  if (version !== INDEX_VERSION || model !== (ai.embedder?.model ?? null))
    throw new Error('This work is for a server with another version or model')
  await reindexSessions(indexer, signal)
  // The embedded database has one session, so every request would wait for the index.
  if (!database.engine && ai.embedder) await buildVectorIndexes(database, ai.embedder.model, signal)
}
