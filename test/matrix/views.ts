import { everyScope } from '../../src/features/access/actor.ts'
import { createSignInUrl, requestSignIn } from '../../src/features/sign-in/sign-in.ts'
import { mailedLink } from '../support/console.ts'
import { authorizePath, newAgent, newVerifier } from '../support/oauth.ts'
import { record } from '../support/recordings.ts'
import { acceptSession, type buildTestApp, testServices } from '../support/server.ts'
import { fillSettings } from '../support/settings.ts'
import { claim, inviteTo, linkTo, newSharer } from '../support/sharing.ts'
import { silence } from '../support/sound.ts'

const RTL = 'شركة المثال: مراجعة الربيع'

const SPOKEN = [
  { speaker: 'Ada Lovelace', start: 0, end: 6, text: 'Welcome to the weekly review. We talk about three things.' },
  { speaker: 'Ben', start: 6, end: 12, text: 'I will send the offer for the spring order on Friday.' },
  { speaker: 'Ada Lovelace', start: 3_725, end: 3_730, text: 'Then that is settled. Thank you all.' }
]

const UNBROKEN = {
  title: 'z'.repeat(500),
  tags: ['t'.repeat(100)],
  folders: ['f'.repeat(100)],
  summary: 'y'.repeat(300),
  notes: 'n'.repeat(300),
  action_items: [{ text: 'i'.repeat(300), assignee: 'a'.repeat(100) }],
  segments: [{ speaker: 's'.repeat(100), start: 0, end: 1, text: 'x'.repeat(500) }]
}

/** Something of everything that pages show, of an operator: usual texts, unbroken ones, and ones from right to left. */
export async function openLibrary(app: Awaited<ReturnType<typeof buildTestApp>>) {
  const user = await newSharer({ name: 'Ada Lovelace', operator: true })
  const [owner, unbroken] = [await newSharer({ name: 'Ben Bitdiddle' }), await newSharer({ name: 'Å'.repeat(100) })]
  const session = await user.session({
    title: 'Weekly review with the client about the spring order',
    timestamp: '2026-03-01T09:00:00Z',
    summary:
      '# Review\n\nThe team agreed on the **spring order**.\n\n- one\n- two\n\n<script>alert(1)</script> [a link](javascript:alert(1))',
    notes: 'Ask about the part.',
    tags: ['sales', 'weekly'],
    folders: ['Clients'],
    platform: 'zoom',
    segments: SPOKEN,
    action_items: [
      { text: 'Send the offer', assignee: 'Ben', due_date: '2026-03-06', source_start: 4 },
      { text: 'Call', completed: true }
    ]
  })
  await record(user, session, 'audio', silence(10))
  const long = await user.session(UNBROKEN)
  const rtl = await user.session({
    title: RTL,
    summary: RTL,
    segments: [{ speaker: RTL, start: 0, end: 1, text: RTL }]
  })
  const failed = await user.session({ title: 'Call with the supplier', type: 'phone' })
  await user.db.execute(
    `update sessions set state = 'failed', failure = 'The call failed' where session_id = '${failed}'`
  )
  const waiting = await acceptSession(user.id, { title: 'Interview' })
  const settings = await fillSettings(user)
  await user.db.execute(
    `update webhooks set failure_count = 12, failing_since = now(), last_delivery_status = 503 where user_id = '${user.id}'`
  )
  const trashed = await user.session()
  await user.delete(`/v1/sessions/${trashed}?permanently=false`)
  return {
    user,
    session,
    long,
    rtl,
    failed,
    waiting,
    trashed,
    colleague: unbroken.id,
    ...(await shareWith(user, owner, unbroken)),
    ...(await openSignIns(owner, unbroken)),
    ...settings,
    consent: await askForAccess(app)
  }
}

type Sharer = Awaited<ReturnType<typeof newSharer>>

async function shareWith(user: Sharer, owner: Sharer, unbroken: Sharer) {
  const shared = await owner.session({
    title: 'Interview',
    summary: '# Notes\n\n- one',
    segments: SPOKEN,
    action_items: [{ text: 'Send', assignee: 'Ben', due_date: '2026-03-06' }]
  })
  await record(owner, shared, 'audio', silence(10))
  const sharedLong = await unbroken.session(UNBROKEN)
  await claim(user, await linkTo(owner, shared))
  await claim(user, await linkTo(unbroken, sharedLong))
  return {
    shared: `${owner.id}/${shared}`,
    sharedLong: `${unbroken.id}/${sharedLong}`,
    link: new URL(await linkTo(owner, shared)).pathname,
    invite: new URL(await inviteTo(owner, shared, 'cleo@example.com')).pathname
  }
}

/** A link that opens in any browser, and one that opens in another one. */
async function openSignIns(anywhere: Sharer, elsewhere: Sharer) {
  const services = await testServices()
  const { url } = await createSignInUrl(services, everyScope(anywhere.id, 'command'))
  await requestSignIn(
    services,
    { browser: 'another browser', known: undefined, clientAddress: '' },
    { email: elsewhere.email }
  )
  return { ready: new URL(url).pathname, elsewhere: await mailedLink(elsewhere.email, services) }
}

async function askForAccess(app: Awaited<ReturnType<typeof buildTestApp>>) {
  const { body } = await newAgent({ app }).register({ client_name: 'Desk Agent' })
  return authorizePath(body.client_id, newVerifier().challenge)
}

export type Library = Awaited<ReturnType<typeof openLibrary>>
type Address = string | ((library: Library) => string)

/** The addresses of a page in the states that look different, for a visitor who is signed in and for one who is not. */
interface View {
  in?: Shown[]
  out?: Shown[]
}

/** An address, with the status of the page if it is an error. */
type Shown = Address | { address: Address; status: number }

const own =
  (path = ''): Address =>
  ({ session }) =>
    `/s/${session}${path}`

/** Every page of the console by its route. Tests of looks and access by keyboard read this list, and `test/rules/views.test.ts` compares it with the routes. */
export const VIEWS: Record<string, View> = {
  'GET /': {
    in: ['/', '/?select=all', '/?tag=sales', '/?status=failed&type=phone', { address: '/nothing', status: 404 }],
    out: [{ address: '/nothing', status: 404 }]
  },
  'GET /overview': { in: ['/overview'] },
  'GET /search': { in: ['/search', '/search?q=weekly+review', '/search?q=zzz'] },
  'GET /upload': { in: ['/upload'] },
  'GET /s/{id}': {
    in: [
      own(),
      own('?open=about'),
      own('?open=speakers'),
      own('?open=sharing'),
      own('?open=summary'),
      own('?who=1'),
      ({ long }) => `/s/${long}?who=0`,
      { address: own('?who=999'), status: 404 },
      own('#t=4'),
      ({ long }) => `/s/${long}`,
      ({ rtl }) => `/s/${rtl}`,
      ({ failed }) => `/s/${failed}`,
      ({ waiting }) => `/s/${waiting}`,
      ({ trashed }) => `/s/${trashed}`
    ]
  },
  'GET /s/{id}/correct': { in: [own('/correct'), ({ long }) => `/s/${long}/correct`, own('/correct?line=999')] },
  'GET /s/{id}/delete': { in: [own('/delete')] },
  'GET /shared': { in: ['/shared'] },
  'GET /shared/{owner_id}/{id}': {
    in: [
      ({ shared }) => `/shared/${shared}`,
      ({ sharedLong }) => `/shared/${sharedLong}`,
      { address: '/shared/usr_x/ses_y', status: 404 }
    ]
  },
  'GET /join/{secret}': {
    in: [({ link }) => link, ({ invite }) => invite, { address: '/join/x', status: 404 }],
    out: [({ link }) => link, ({ invite }) => invite, { address: '/join/x', status: 404 }]
  },
  'GET /join/sent': { in: ['/join/sent'], out: ['/join/sent'] },
  'GET /docs*': { in: ['/docs/console'], out: ['/docs/', '/docs/console', { address: '/docs/nothing', status: 404 }] },
  'GET /v1/docs/': { out: ['/v1/docs/'] },
  'GET /sign-in': { out: ['/sign-in', '/sign-in?next=%2Fshared'] },
  'GET /sign-in/oidc': { out: [{ address: '/sign-in/oidc', status: 503 }] },
  'GET /sign-in/oidc/callback': { out: [{ address: '/sign-in/oidc/callback', status: 403 }] },
  'GET /sign-in/sent': { in: ['/sign-in/sent'], out: ['/sign-in/sent'] },
  'GET /sign-in/{secret}': {
    in: [({ ready }) => ready],
    out: [
      ({ ready }) => ready,
      { address: ({ elsewhere }) => elsewhere, status: 403 },
      { address: '/sign-in/x', status: 404 }
    ]
  },
  'GET /action-items': {
    in: ['/action-items?status=all', '/action-items?select=1&status=all', '/action-items?assignee=nobody']
  },
  'GET /folders': { in: ['/folders'] },
  'GET /people': { in: ['/people', ({ person }) => `/people?merge=${person}`] },
  'GET /people/names': { in: ['/people/names'] },
  'GET /people/{id}': { in: [({ person }) => `/people/${person}`] },
  'GET /settings': { in: ['/settings'] },
  'GET /account-deleted': { out: ['/account-deleted'] },
  'GET /settings/tokens': { in: ['/settings/tokens'] },
  'GET /settings/agents': { in: ['/settings/agents'] },
  'GET /oauth/authorize': {
    in: [
      ({ consent }) => consent,
      { address: ({ consent }) => `${consent}&response_type=token`, status: 400 },
      { address: '/oauth/authorize', status: 400 }
    ]
  },
  'GET /settings/export': { in: ['/settings/export'] },
  'GET /settings/webhooks': { in: ['/settings/webhooks'] },
  'GET /settings/webhooks/{id}': { in: [({ webhook }) => `/settings/webhooks/${webhook}`] },
  'GET /settings/webhooks/{id}/change': { in: [({ webhook }) => `/settings/webhooks/${webhook}/change`] },
  'GET /settings/webhooks/{id}/deliveries/{delivery_id}': { in: [({ delivery }) => `/settings/webhooks/${delivery}`] },
  'GET /operator/users': { in: ['/operator/users', '/operator/users?search=ada'] },
  'GET /operator/users/{id}': { in: [({ colleague }) => `/operator/users/${colleague}`] },
  'GET /operator/failed': { in: ['/operator/failed'] },
  'GET /operator/health': { in: ['/operator/health'] }
}

/** What a GET answers with that is no page of the console's own. */
export const NO_VIEWS: Record<string, string> = {
  'GET /progress': 'events',
  'GET /s/{id}/transcript.{format}': 'a file',
  'GET /s/{id}/session.json': 'a file',
  'GET /docs': 'leads to /docs/',
  'GET /v1/docs': 'leads to /v1/docs/',
  'GET /operator': 'leads to /operator/users'
}

/** An address, and the status that its page has there. */
export interface Visit {
  address: string
  status: number
}

export function visitsOf(route: string, visitor: keyof View, library: Library): Visit[] {
  return (VIEWS[route]?.[visitor] ?? []).map(shown => {
    const { address, status } = typeof shown === 'object' ? shown : { address: shown, status: 200 }
    return { address: typeof address === 'string' ? address : address(library), status }
  })
}
