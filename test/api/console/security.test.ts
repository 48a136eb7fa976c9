import { beforeEach, describe, expect, test } from 'vitest'
import { updateUser } from '../../../src/features/access/queries.ts'
import { served } from '../../matrix/ask.ts'
import { PAGES, type PageRow, tokenPath } from '../../matrix/pages.ts'
import { type Ids, openWorld, type World } from '../../matrix/world.ts'
import { FOREIGN_SCRIPT, hiddenFields, newBrowser, signInAs, withoutTokens } from '../../support/console.ts'
import { startReceiver } from '../../support/receiver.ts'
import { claim, linkTo, newSharer } from '../../support/sharing.ts'

// Each test goes over all pages and forms that the program serves, because `matrix.test.ts` holds PAGES to them.
const rows = Object.entries(PAGES).map(([name, row]) => ({ name, method: name.split(' ')[0]!, row }))
const shown = rows.filter(({ method }) => method === 'GET')
const forms = rows.filter(({ method }) => method === 'POST')

const urlOf = (name: string, { at }: PageRow, ids: Ids) => at?.(ids) ?? name.split(' ')[1]!.replace('*', '/')
const markup = (name: string) => `"'><img src=x onerror=alert(1)>${name}</title></textarea></script>`
/** What a browser would run or load of it, were it not escaped. */
const LIVE = /<img.src=x|<\/textarea><\/script>|href="javascript:|<style| style=| on\w+="/i
const isLive = (body: string) => LIVE.test(body) || FOREIGN_SCRIPT.test(body)

let world: World
// Pages are counted by user, so each test has its own.
beforeEach(async () => {
  world = await openWorld()
})

async function browserOf(email: string) {
  const browser = newBrowser(served)
  await signInAs(browser, email)
  return browser
}

const FIELDS = [
  'title',
  'notes',
  'tag',
  'folder',
  'platform',
  'summary',
  'item',
  'assignee',
  'speaker',
  'line',
  'person',
  'owner',
  'recipient',
  'token',
  'hook',
  'answer'
]

/** Somebody who has markup in each field that is stored. */
async function openMarkedWorld() {
  const receiver = await startReceiver(() => response => response.writeHead(500).end(markup('answer')))
  const { owner, recipient, ids } = await openWorld()
  const session = await owner.session({
    title: markup('title'),
    notes: markup('notes'),
    tags: [markup('tag')],
    folders: [markup('folder')],
    platform: markup('platform'),
    summary: `${markup('summary')}\n\n[x](javascript:alert(1))`,
    action_items: [{ text: markup('item'), assignee: markup('assignee'), source_start: 1 }],
    speakers: [{ label: 'Ada', person: markup('person') }],
    segments: [
      { speaker: 'Ada', start: 0, end: 1, text: markup('line') },
      { speaker: markup('speaker'), start: 1, end: 2, text: 'needle' }
    ],
    media: { audio: 'https://media.example/"onerror="alert(1)' }
  })
  await claim(recipient, await linkTo(owner, session))
  await updateUser(owner.db, owner.id, { name: markup('owner') })
  await updateUser(owner.db, recipient.id, { name: markup('recipient') })
  const { body: hook } = await owner.post('/v1/webhooks', {
    url: `${receiver.url}/"><img/src=x>hook`,
    events: ['session.updated']
  })
  await owner.post(`/v1/webhooks/${hook.id}/test`)
  const { body: log } = await owner.get(`/v1/webhooks/${hook.id}/deliveries`)
  const delivery = `/settings/webhooks/${hook.id}/deliveries/${log.deliveries[0].id}`
  const link = new URL(await linkTo(owner, session)).pathname
  const more = ['/search?q=needle', link, delivery]
  return { owner, recipient, ids: { ...ids, session, webhook: String(hook.id) }, more }
}

test('what is stored is shown as text on every page, and every field is on one', async () => {
  const { owner, recipient, ids, more } = await openMarkedWorld()
  const own = await browserOf(owner.email)
  await own.submit('/settings/tokens', '/settings/tokens', {
    name: markup('token'),
    'sessions:read': 'on',
    expires_in: String(30 * 86_400)
  })
  const live: string[] = []
  let seen = ''
  for (const browser of [own, await browserOf(recipient.email)])
    for (const url of [...shown.map(({ name, row }) => urlOf(name, row, ids)), ...more]) {
      const { body, headers } = await browser.get(url)
      if (!String(headers['content-type']).startsWith('text/html')) continue
      if (isLive(body)) live.push(url)
      seen += body
    }
  expect(live).toEqual([])
  const markupOf = (field: string) => (field === 'hook' ? '%3Ehook' : `&gt;${field}&lt;/title&gt;`)
  expect(FIELDS.filter(field => !seen.includes(markupOf(field)))).toEqual([])
})

test('what a link or a form sends is shown as text on every page', async () => {
  const browser = await browserOf(world.owner.email)
  const sent = markup('sent')
  const names = [
    'q',
    'tag',
    'folder',
    'person',
    'status',
    'type',
    'cursor',
    'assignee',
    'next',
    'email',
    'open',
    'merge',
    'name'
  ]
  const live: string[] = []
  for (const { name, row } of shown)
    for (const field of names) {
      const { body } = await browser.get(`${urlOf(name, row, world.ids)}?${new URLSearchParams({ [field]: sent })}`)
      if (isLive(body)) live.push(`${name} ${field}`)
    }
  const harmless = forms.filter(({ name }) => !/sign-out|delete|trash|restore/.test(name))
  for (const { name, row } of harmless) {
    const fields = Object.keys({
      email: '',
      name: '',
      title: '',
      url: '',
      events: '',
      tags: '',
      notes: '',
      emails: '',
      ...row.fields?.(world.ids)
    })
    const url = urlOf(name, row, world.ids)
    const { body } = await browser.send(url, {
      ...Object.fromEntries(fields.map(field => [field, sent])),
      _form: browser.formToken(tokenPath(url))
    })
    if (isLive(body)) live.push(name)
  }
  expect(live).toEqual([])
})

describe('every form', () => {
  test('is refused without the token of its session, with that of another session or form, and from another site', async () => {
    const [browser, other] = [await browserOf(world.owner.email), await browserOf((await newSharer()).email)]
    const attemptsAt = (path: string): [string, Record<string, string>, Record<string, string>][] => [
      ['without a token', {}, {}],
      ['with the token of another', { _form: other.formToken(path) }, {}],
      ['with the token of another form', { _form: browser.formToken(`${path}-`) }, {}],
      ['from another site', { _form: browser.formToken(path) }, { 'sec-fetch-site': 'cross-site' }],
      ['from another origin', { _form: browser.formToken(path) }, { origin: 'https://evil.example' }]
    ]
    const passed: string[] = []
    for (const { name, row } of forms) {
      const url = urlOf(name, row, world.ids)
      for (const [how, fields, headers] of attemptsAt(tokenPath(url))) {
        const { status } = await browser.send(url, { ...row.fields?.(world.ids), ...fields }, headers)
        // The forms of operators are unknown to everyone else, whatever is sent.
        const refusal = url.startsWith('/operator/') ? 404 : 403
        if (status !== refusal) passed.push(`${name} ${how}: ${status}`)
      }
    }
    expect(passed).toEqual([])
    expect((await browser.get('/settings')).status).toBe(200)
  })

  test('has another token in each answer, and takes each of them', async () => {
    const browser = await browserOf(world.owner.email)
    const tokenOf = async () => hiddenFields((await browser.get('/settings')).body, '/settings')._form!
    const tokens = [await tokenOf(), await tokenOf()]
    expect(tokens[0]).not.toBe(tokens[1])
    for (const _form of tokens)
      expect((await browser.send('/settings', { _form, name: 'Ada', time_zone: 'UTC' })).status).toBe(303)
  })
})

test('no page and no form leads to another site', async () => {
  const browser = await browserOf(world.owner.email)
  const away: string[] = []
  for (const target of ['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)'])
    for (const { name, method, row } of rows.filter(({ name }) => !/sign-out|delete/.test(name))) {
      const url = urlOf(name, row, world.ids)
      const sent = Object.fromEntries(
        ['next', 'to', 'return', 'return_to', 'redirect', 'url'].map(key => [key, target])
      )
      const answer =
        method === 'GET'
          ? await browser.get(`${url}?${new URLSearchParams(sent)}`)
          : await browser.send(url, { ...row.fields?.(world.ids), ...sent, _form: browser.formToken(tokenPath(url)) })
      const to = String(answer.to ?? '/')
      if (new URL(to, 'http://parlance.test').host !== 'parlance.test') away.push(`${name} to ${to}`)
    }
  expect(away).toEqual([])
})

test('every page stands in no frame, runs no script of another, leaves its address here, and is kept by no cache', async () => {
  const browser = await browserOf(world.owner.email)
  const wrong: string[] = []
  for (const { name, row } of shown) {
    const { headers, status } = await browser.get(urlOf(name, row, world.ids))
    if (status === 303 || !String(headers['content-type']).startsWith('text/html')) continue
    const policy = String(headers['content-security-policy'])
    const isSafe =
      policy.startsWith("default-src 'none'; style-src 'self'; script-src 'self'") &&
      policy.includes("frame-ancestors 'none'") &&
      policy.includes("form-action 'self'") &&
      !policy.includes('unsafe') &&
      headers['referrer-policy'] === 'same-origin' &&
      headers['x-content-type-options'] === 'nosniff' &&
      headers['cache-control'] === 'private, no-store' &&
      headers.vary === 'accept-encoding, cookie'
    if (!isSafe) wrong.push(name)
  }
  expect(wrong).toEqual([])
})

test('what another has is the same 404 as what nobody has, on every page and form', async () => {
  const stranger = await browserOf((await newSharer()).email)
  const nobodys = Object.fromEntries(
    Object.entries(world.ids).map(([kind, id]) => [kind, id.replace(/_.*/, `_${'0'.repeat(26)}`)])
  ) as Ids
  const answerTo = async (method: string, url: string, row: (typeof rows)[number]['row'], ids: Ids) => {
    const _form = stranger.formToken(tokenPath(url))
    if (row.headers) return await stranger.call(method as 'PATCH', url, { ...row.headers, 'x-form-token': _form })
    return method === 'GET' ? await stranger.get(url) : await stranger.send(url, { ...row.fields?.(ids), _form })
  }
  const ask = async ({ name, method, row }: (typeof rows)[number], ids: Ids) => {
    const url = urlOf(name, row, ids)
    const { status, body } = await answerTo(method, url, row, ids)
    return { name, status, body: Object.values(ids).reduce((text, id) => text.replaceAll(id, ''), withoutTokens(body)) }
  }
  const unknown = rows.filter(({ row }) => row.stranger === '404')
  expect(unknown.length).toBeGreaterThan(25)
  for (const one of unknown) expect(await ask(one, world.ids)).toEqual({ ...(await ask(one, nobodys)), status: 404 })
})

test('a form of more fields than any page has is refused before it is read', async () => {
  const browser = newBrowser(served)
  const fields = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [String(at), '']))
  const { status, text } = await browser.send('/sign-in', fields)
  expect([status, text.includes('The form has more than 1000 fields')]).toEqual([400, true])
  delete fields['0']
  expect((await browser.send('/sign-in', fields)).status).toBe(403)
})
