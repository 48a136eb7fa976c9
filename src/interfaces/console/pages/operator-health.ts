import type { Check } from '../../../contract/check.ts'
import { getProcessingHealth, MAX_COUNTED, type ProcessingHealth } from '../../../features/ingest/processing-health.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { type DeliveryHealth, getDeliveryHealth } from '../../../features/webhooks/delivery/health.ts'
import { type Html, html, when } from '../../web/html.ts'
import { ageOf } from '../dates.ts'
import { counted, inWords } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import { FAILED_PATH, HEALTH_PATH, operatorView, USERS_PATH } from '../operator.ts'
import { rowTable } from '../row-table.ts'
import type { View, Visit } from '../visit.ts'

/** Work in the background that waits or fails, and the checks of the command `doctor`, which run only when an operator asks. */
export function operatorHealth({ services, operator }: Console) {
  operator.page(HEALTH_PATH, NONE, async visit => await healthView(services, visit))

  operator.form(`${HEALTH_PATH}/checks`, NONE, async visit =>
    healthView(services, visit, { checks: await services.diagnose() })
  )
}

async function healthView(
  services: Services,
  visit: Visit<Visitor>,
  { checks }: { checks?: Check[] } = {}
): Promise<View> {
  const [processing, deliveries] = [await getProcessingHealth(services), await getDeliveryHealth(services)]
  const now = services.clock.now()
  return operatorView(visit, HEALTH_PATH, {
    title: 'Health',
    main: html`<h2 id="checks">Checks</h2>
${checks ? checkTable(visit, checks) : html`<p>Checks the database, the keys, the disk, and the servers for mail, recordings and AI, as the command <code>doctor</code> does.</p>`}
${visit.form(`${HEALTH_PATH}/checks`, html`<button>${checks ? 'Check again' : 'Check now'}</button>`)}
<h2>Background jobs</h2>
${processing ? processingPart(visit, processing, now) : UNCOUNTED}
<h2>Webhooks</h2>
${deliveries ? deliveryPart(visit, deliveries, now) : UNCOUNTED}
<h2>Providers</h2>
${rowTable(['Part', 'Used now'], providerRows(services))}`
  })
}

const UNCOUNTED = html`<p class="empty">The database did not count this within two seconds. Load the page again in a while.</p>`

/** The parts of the configuration that a failed check is about. */
const GUIDES: Record<string, string> = {
  database: '/docs/configuration',
  replica: '/docs/configuration',
  clock: '/docs/operations/running',
  secret_key: '/docs/operations/security',
  webhooks: '/docs/operations/security',
  quotas: '/docs/cli',
  mail: '/docs/configuration',
  media: '/docs/configuration',
  oidc: '/docs/operations/openid-connect',
  embeddings: '/docs/operations/embedding-models'
}

function checkTable({ link }: Visit, checks: readonly Check[]): Html {
  const broken = checks.filter(({ ok }) => !ok)
  const words =
    broken.length === 0 ? 'Everything works.' : `Not working: ${broken.map(({ check }) => check).join(', ')}.`
  const rows = checks.map(({ check, ok, detail }) => [
    check.replaceAll('_', ' '),
    ok ? 'works' : html`<span class="broken">does not work</span>`,
    html`${detail}${when(!ok, () => html`. <a href="${link(GUIDES[check] ?? '/docs/troubleshooting')}">How to set it up</a>`)}`
  ])
  return html`<p class="${broken.length === 0 ? 'notice' : 'notice bad'}" role="status">${words}</p>
${rowTable(['Check', 'State', 'What was found, and what to do'], rows)}`
}

function processingPart({ link }: Visit, { sessions, since, queues }: ProcessingHealth, now: Date): Html {
  const count = sessions === MAX_COUNTED ? `${inWords(MAX_COUNTED)} or more sessions` : counted(sessions, 'session')
  return html`<p>${sessions === 0 || !since ? 'No session is being processed.' : `${count} in processing, the oldest for ${ageOf(since, now)}.`} <a href="${link(FAILED_PATH)}">See the failed sessions</a></p>
${when(
  queues.reasons.length > 0,
  () => html`<p>Sessions wait for another attempt after these errors:</p>
<ul>${queues.reasons.map(({ reason, jobs }) => html`<li><bdi>${reason || 'An error without a message'}</bdi> (${counted(jobs, 'session')})</li>`)}</ul>`
)}
${queues.counts.length > 0 ? rowTable(['Queue', 'Waiting', 'Running', 'To be repeated', 'Failed in the last day', 'Oldest'], queueRows(queues, now)) : html`<p class="empty">No job waits, and none has failed.</p>`}`
}

const STATES = ['created', 'active', 'retry', 'failed']

function queueRows({ counts }: ProcessingHealth['queues'], now: Date) {
  return [...Map.groupBy(counts, ({ queue }) => queue)].toSorted().map(([queue, ofQueue]) => {
    const unfinished = ofQueue.filter(({ state }) => state !== 'failed').map(({ since }) => since.getTime())
    const states = STATES.map(state => inWords(ofQueue.find(one => one.state === state)?.jobs ?? 0))
    return [queue, ...states, unfinished.length > 0 ? ageOf(new Date(Math.min(...unfinished)), now) : '']
  })
}

function deliveryPart({ link }: Visit, health: DeliveryHealth, now: Date): Html {
  const { waiting, sending, oldest_seconds: oldest, failing, webhooks } = health
  const age = oldest > 0 ? `, the oldest due for ${ageOf(new Date(now.getTime() - oldest * 1_000), now)}` : ''
  const rows = webhooks.map(({ host, user_id: id, owner, failures, since, status }) => [
    html`<bdi>${host}</bdi>`,
    html`<a href="${link(`${USERS_PATH}/${id}`)}"><bdi>${owner ?? id}</bdi></a>`,
    inWords(failures),
    ageOf(since, now),
    status === null ? 'none' : String(status)
  ])
  return html`<p>${counted(waiting, 'delivery', 'deliveries')} waiting${age}, ${inWords(sending)} being sent.</p>
${
  failing === 0
    ? html`<p class="empty">No webhook fails.</p>`
    : html`<p>${counted(failing, 'webhook')} failing. These failed most often in a row:</p>
${rowTable(['Receiver', 'Owner', 'Failed attempts', 'Failing for', 'Last answer'], rows)}`
}`
}

function providerRows({ ai, transcribes, oidc, mailsLinks }: Services) {
  return [
    ['Search by meaning', ai.embedder?.model ?? `off: ${ai.lexicalReason ?? 'by the configuration'}`],
    ['Transcripts of recordings', transcribes ? 'on' : 'off'],
    ['Sign-in', [mailsLinks ? 'mailed links' : '', oidc?.name ?? ''].filter(name => name !== '').join(', ')]
  ]
}
