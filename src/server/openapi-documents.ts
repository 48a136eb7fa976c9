import { openUploadBudget } from '../features/ingest/upload.ts'
import type { Services } from '../features/services.ts'
import { buildAdminApi } from '../interfaces/admin-api/app.ts'
import { buildApp } from '../interfaces/http/app.ts'
import { toActionsProfile } from '../interfaces/http/document/actions-profile.ts'
import { openDiskReserve } from '../platform/work/disk-reserve.ts'

const unreachable = () => Promise.reject(new Error('The document asks nothing of anyone'))
const nothing = new Proxy(Object.create(null), { get: () => unreachable })

const PUBLIC_URL = 'http://127.0.0.1:8080'

const services: Services = {
  db: nothing,
  sender: nothing,
  fetcher: nothing,
  mail: nothing,
  arrivals: nothing,
  media: nothing,
  reader: nothing,
  writer: nothing,
  longReads: nothing,
  jobs: nothing,
  clock: { now: () => new Date() },
  admissions: { admit: unreachable, recall: () => undefined, stop: unreachable },
  rateLimits: { perMinute: 1, perDay: 1 },
  quotas: { bytes_stored: 0, sessions_per_day: 0, folders: 0, people: 0 },
  retention: { audio_days: null, session_days: null },
  publicUrl: PUBLIC_URL,
  secretKey: '',
  signUp: 'closed',
  oidc: undefined,
  oauth: { advertisesDocuments: true, lanRedirects: false },
  mailsLinks: true,
  slow: nothing,
  replica: nothing,
  ai: { ...nothing, embedder: undefined },
  queryEmbedder: nothing,
  transcribes: false,
  uploadFolder: '',
  partsFolder: '',
  exportsFolder: '',
  sound: { folder: '', programPath: undefined },
  diskReserve: openDiskReserve(),
  openUploads: openUploadBudget(),
  diagnose: unreachable
}

/** The OpenAPI document as every server with the default address serves it. It is made without a database. */
export async function openapiDocument() {
  const app = await buildApp(services)
  await app.ready()
  return app.swagger()
}

/** The profile of the document for assistants. */
export async function actionsDocument() {
  return toActionsProfile(await openapiDocument(), PUBLIC_URL)
}

export async function adminApiDocument() {
  const app = await buildAdminApi(services, { key: undefined, attemptsPerMinute: 1 })
  await app.ready()
  return app.swagger()
}
