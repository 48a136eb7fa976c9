import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packDocument } from '../contract/packed-document.ts'
import { recordingExtension } from '../contract/recording.ts'
import { ALL_SCOPES } from '../contract/scopes.ts'
import type { SessionType } from '../contract/session.ts'
import { everyScope } from '../features/access/actor.ts'
import { findUserId } from '../features/access/lookup.ts'
import { createUser } from '../features/access/queries.ts'
import { issueToken, isValidToken } from '../features/access/tokens.ts'
import { readFileEntries } from '../features/ingest/files.ts'
import { importDocument } from '../features/ingest/operations.ts'
import { findState } from '../features/ingest/queries.ts'
import type { Services } from '../features/services.ts'
import { createSignInUrl } from '../features/sign-in/sign-in.ts'
import { newId } from '../platform/core/ids.ts'
import type { Server } from './start.ts'

const EMAIL = 'demo@example.com'
const SAMPLES = fileURLToPath(new URL('../../samples/', import.meta.url))

/** Titles, types and times of samples whose format has no place for them. */
const ABOUT: Record<string, { title: string; type: SessionType; timestamp: string }> = {
  'product-review.vtt': { title: 'Product review', type: 'meeting', timestamp: '2026-05-04T13:00:00Z' },
  'standup.txt': { title: 'Engineering stand-up', type: 'desktop', timestamp: '2026-05-12T07:30:00Z' },
  'podcast-soil.srt': { title: 'What soil remembers', type: 'podcast', timestamp: '2026-08-22T06:00:00Z' }
}

/** Imports the samples on the first start, then prints how to use the server. */
export async function greet({ services, url }: Server, dataDir: string) {
  const tokenFile = join(dataDir, 'token')
  const userId = (await findUserId(services.db, EMAIL)) ?? (await createDemoUser(services))
  await importSamples(services, userId)
  const { url: signInUrl } = await createSignInUrl({ ...services, publicUrl: url }, everyScope(userId, 'command'))
  const token = await demoToken(services, userId, tokenFile)
  console.log(instructions({ url, signInUrl, token, tokenFile, dataDir }))
}

/** The token of the first start while it is valid, else a new one. It is kept in a file that only its owner can read. */
async function demoToken({ db, clock }: Services, userId: string, file: string) {
  const kept = readIfThere(file)
  if (kept && (await isValidToken(db, kept, clock.now()))) return kept
  const { token } = await issueToken(db, userId, 'demo', ALL_SCOPES, clock.now())
  rmSync(file, { force: true })
  writeFileSync(file, token, { mode: 0o600 })
  return token
}

function readIfThere(file: string) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

async function createDemoUser({ db, clock }: Services) {
  const userId = newId('usr')
  const now = clock.now()
  await createUser(db, userId, {
    name: 'Demo',
    email: EMAIL,
    emailVerifiedAt: now,
    timeZone: 'UTC',
    subscriptionActive: true,
    operator: true,
    createdAt: now
  })
  return userId
}

async function importSamples(services: Services, userId: string) {
  const { db } = services
  const sessionIds: string[] = []
  for (const name of readdirSync(SAMPLES).sort()) {
    // The document beside it names the recording.
    if (recordingExtension(name) !== undefined) continue
    for await (const read of readFileEntries(SAMPLES + name, services.sound)) {
      if ('error' in read) throw new Error(`${read.file}: ${read.error}`)
      const actor = everyScope(userId, 'command')
      const { session } = await importDocument(services, actor, {
        ...read.entry,
        ...ABOUT[name],
        document: packDocument(read.entry.document)
      })
      sessionIds.push(session.id)
    }
  }
  // Includes samples of an earlier start that was stopped before they were done.
  const isProcessing = async (sessionId: string) => (await findState(db, userId, sessionId))?.state === 'processing'
  const states = await Promise.all(sessionIds.map(isProcessing))
  const processing = sessionIds.filter((_, at) => states[at])
  if (processing.length > 0) console.log(`Importing ${processing.length} sample conversations …`)
  for (const sessionId of processing) {
    while (await isProcessing(sessionId)) await new Promise(wake => setTimeout(wake, 200))
  }
}

interface Greeting {
  url: string
  signInUrl: string
  token: string
  tokenFile: string
  dataDir: string
}

function instructions({ url, signInUrl, token, tokenFile, dataDir }: Greeting) {
  const curl = (path: string, more = '') => `curl -s -H "Authorization: Bearer ${token}" ${more}"${url}/v1${path}"`
  return `
Parlance is running at ${url}. Open it in a browser, signed in by this link, which works once within a quarter of an hour:
  ${signInUrl}

Another link: DATA_DIR=${dataDir} npm run -s parlance -- user sign-in-link --user ${EMAIL}
The API reference: ${url}/v1/docs

A token with every scope, kept in ${tokenFile}:
  ${token}

Try, in another terminal:
  ${curl('/sessions?limit=5')}
  ${curl('/sessions?type=phone')}
  ${curl('/account')}
  ${curl('/sessions/search', `-H "Content-Type: application/json" -d '{"query":"when will the battery be fixed","limit":1}' `)}

Ctrl-C stops it; the data stays for the next time.`
}
