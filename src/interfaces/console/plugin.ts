import cookie from '@fastify/cookie'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LIMITS } from '../../contract/limits.ts'
import { FORM_OPTIONS } from '../../features/ingest/read-form.ts'
import type { Services } from '../../features/services.ts'
import { invalid } from '../../platform/core/api-error.ts'
import { lazy } from '../../platform/core/lazy.ts'
import { referencePage } from '../site/reference-page.ts'
import { openConsole } from './open-console.ts'
import { actionItemsPage } from './pages/action-items.ts'
import { agentsPage } from './pages/agents.ts'
import { authorizePage } from './pages/authorize.ts'
import { correctLinesPage } from './pages/correct-lines.ts'
import { exportPage } from './pages/export.ts'
import { foldersPage } from './pages/folders.ts'
import { guidePages } from './pages/guides.ts'
import { itemForms } from './pages/items.ts'
import { joinPages } from './pages/join.ts'
import { keysForm } from './pages/keys.ts'
import { manySessions } from './pages/many-sessions.ts'
import { namesPage } from './pages/names.ts'
import { operatorFailed } from './pages/operator-failed.ts'
import { operatorHealth } from './pages/operator-health.ts'
import { operatorUser } from './pages/operator-user.ts'
import { operatorUsers } from './pages/operator-users.ts'
import { overviewPage } from './pages/overview.ts'
import { peoplePage } from './pages/people.ts'
import { personPage } from './pages/person.ts'
import { profilePages } from './pages/profile.ts'
import { progressStream } from './pages/progress.ts'
import { providerSignInPages } from './pages/provider-sign-in.ts'
import { referencePages } from './pages/reference.ts'
import { searchPage } from './pages/search.ts'
import { sessionPage } from './pages/session.ts'
import { sessionDate } from './pages/session-date.ts'
import { sessionFiles } from './pages/session-files.ts'
import { sessionForms } from './pages/session-forms.ts'
import { sessionRecording } from './pages/session-recording.ts'
import { sessionSharing } from './pages/session-sharing.ts'
import { sessionSpeakers } from './pages/session-speakers.ts'
import { sessionStates } from './pages/session-states.ts'
import { sessionTexts } from './pages/session-texts.ts'
import { sessionsPage } from './pages/sessions.ts'
import { sharedSessionPage } from './pages/shared-session.ts'
import { sharedSessionsPage } from './pages/shared-sessions.ts'
import { signInPages } from './pages/sign-in.ts'
import { signInCodePages } from './pages/sign-in-code.ts'
import { tokensPage } from './pages/tokens.ts'
import { uploadPages } from './pages/upload.ts'
import { uploadParts } from './pages/upload-parts.ts'
import { webhookPage } from './pages/webhook.ts'
import { webhookChange } from './pages/webhook-change.ts'
import { webhookDelivery } from './pages/webhook-delivery.ts'
import { webhooksPage } from './pages/webhooks.ts'

/** The pages for people, on the public port beside `/v1`. Forms and cookies exist for them only. */
export async function consolePlugin(app: FastifyInstance, services: Services) {
  await app.register(cookie)
  await app.register(multipart, FORM_OPTIONS)
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: LIMITS.bodyBytes },
    async (_request: FastifyRequest, body: string | Buffer) => fieldsOf(String(body))
  )
  const console = openConsole(app, services)
  signInPages(console)
  signInCodePages(console)
  providerSignInPages(console)
  joinPages(console)
  guidePages(console)
  referencePages(
    console,
    lazy(async () => referencePage(JSON.parse(JSON.stringify(app.swagger())), path => app.basePath + path))
  )
  sessionsPage(console)
  overviewPage(console)
  searchPage(console)
  sessionPage(console)
  manySessions(console)
  sessionForms(console)
  sessionTexts(console)
  sessionSpeakers(console)
  sessionDate(console)
  correctLinesPage(console)
  sessionRecording(console)
  itemForms(console)
  sessionStates(console)
  sessionSharing(console)
  sessionFiles(console)
  progressStream(console)
  uploadPages(console)
  await app.register(async parts => uploadParts(parts, console))
  sharedSessionsPage(console)
  sharedSessionPage(console)
  actionItemsPage(console)
  foldersPage(console)
  peoplePage(console)
  namesPage(console)
  personPage(console)
  profilePages(console)
  keysForm(console)
  tokensPage(console)
  agentsPage(console)
  authorizePage(console)
  webhooksPage(console)
  exportPage(console)
  webhookPage(console)
  webhookChange(console)
  webhookDelivery(console)
  operatorUsers(console)
  operatorUser(console)
  operatorFailed(console)
  operatorHealth(console)
}

/** No form of a page has as many fields. Parsing those that fit into the longest form would take some tenths of a second. */
const MAX_FIELDS = 1_000

/** The fields that a form has once for each row. */
const LISTED = ['session', 'item', 'line', 'said']

function fieldsOf(body: string) {
  if (body.split('&', MAX_FIELDS + 1).length > MAX_FIELDS)
    throw invalid({ problem: `The form has more than ${MAX_FIELDS} fields`, expected: 'the form as the page has it' })
  const fields = new URLSearchParams(body)
  const lists = LISTED.filter(name => fields.has(name)).map(name => [name, fields.getAll(name)])
  return { ...Object.fromEntries(fields), ...Object.fromEntries(lists) }
}
