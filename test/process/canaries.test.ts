// @module-tag postgres
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { ALL_SCOPES } from '../../src/contract/scopes.ts'
import { type Document, operationsOf } from '../fuzz/document.ts'
import { ROWS } from '../matrix/rows.ts'
import { startAiServer, status } from '../support/ai-server.ts'
import { canary, found } from '../support/canaries.ts'
import { startCollector } from '../support/collector.ts'
import { migratedDatabase, openPlace, run, serve, until } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { filesWith, tablesWith } from '../support/remains.ts'
import { startS3 } from '../support/s3-server.ts'
import { startSmtp } from '../support/smtp.ts'
import { sound } from '../support/sound.ts'

const LONG = { timeout: 600_000 }

/** What the operator sets and nobody may ever see again. */
const SETTINGS = {
  SECRET_KEY: canary('secretkey'),
  APP_API_KEY: canary('appapikey'),
  OPENAI_API_KEY: `sk-${canary('openaikey')}`,
  smtpPassword: canary('smtppassword'),
  bucketSecret: canary('bucketsecret')
}

/** What people say, write, ask for and are called, each where it can be told apart. */
const CONTENT = Object.fromEntries(
  [
    'title',
    'summary',
    'notes',
    'tag',
    'said',
    'speaker',
    'person',
    'item',
    'assignee',
    'folder',
    'query',
    'message',
    'email',
    'name',
    'external',
    'file',
    'contact',
    'hookPath',
    'hookQuery',
    'parameter',
    'pathId',
    'agent',
    'forwarded',
    'wrongField',
    'join',
    'correctedName'
  ].map(name => [name, canary(name.toLowerCase())])
) as Record<string, string>

interface Asked {
  operation: string
  status: number
  text: string
  headers: string
}

/** A server whose every neighbour listens, and fails now and then in words that repeat what it was told. */
async function neighbourhood() {
  const provider = await startAiServer()
  onTestFinished(() => provider.close())
  const echo = status(
    401,
    `Incorrect API key provided: ${SETTINGS.OPENAI_API_KEY}. You said ${Object.values(CONTENT).join(' ')}`
  )
  provider.script('chat', status(500, `Failed on ${CONTENT.said}`), echo)
  const smtp = await startSmtp({
    refuse: (command, attempt) =>
      command === 'DATA' && attempt === 1 ? { code: 451, words: `not now, ${CONTENT.email}` } : undefined
  })
  const [collector, s3] = [await startCollector(), await startS3()]
  const receiver = await startReceiver((_, before) => (before % 3 === 1 ? 500 : 204))
  const place = await migratedDatabase()
  const { SECRET_KEY, APP_API_KEY, OPENAI_API_KEY, smtpPassword, bucketSecret } = SETTINGS
  const environment = {
    ...place.environment,
    SECRET_KEY,
    APP_API_KEY,
    OPENAI_API_KEY,
    OPENAI_BASE_URL: provider.url,
    SMTP_URL: smtp.url.replace('smtp://', `smtp://operator:${smtpPassword}@`),
    MAIL_FROM: 'parlance@example.test',
    MEDIA_URL: s3.mediaUrl,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: bucketSecret,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    TRANSCRIPTION_MODEL: 'whisper-1',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    RATE_LIMIT_PER_MINUTE: '100000',
    LOG_LEVEL: 'trace'
  }
  return { provider, smtp, collector, receiver, environment, place: { ...place, environment } }
}

test('secrets and words of conversations are only where they belong, after requests to every route', LONG, async () => {
  const { provider, smtp, collector, receiver, place } = await neighbourhood()
  const server = await serve(place)
  const answers: Asked[] = []

  async function ask(
    operation: string,
    url: string,
    { method = 'GET', token = SETTINGS.APP_API_KEY, body }: { method?: string; token?: string; body?: unknown } = {}
  ) {
    const bytes =
      typeof body === 'string'
        ? { type: 'application/octet-stream', body }
        : { type: 'application/json', body: JSON.stringify(body) }
    const reply = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'user-agent': CONTENT.agent!,
        'x-forwarded-for': CONTENT.forwarded!,
        ...(body !== undefined && { 'content-type': bytes.type })
      },
      ...(body !== undefined && { body: bytes.body! })
    })
    const text = await reply.text()
    answers.push({ operation, status: reply.status, text, headers: JSON.stringify([...reply.headers]) })
    return reply.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : undefined
  }
  const app = (operation: string, method: string, path: string, body?: unknown) =>
    ask(operation, `${server.adminUrl}/app/v1${path}`, { method, body })

  // The users and what they have, by the admin API.
  const owner = await app('createUser', 'POST', '/users', {
    email: `${CONTENT.email}@example.test`,
    email_verified: true,
    name: CONTENT.name
  })
  const recipient = await app('createUser', 'POST', '/users', { email: 'recipient@example.test', email_verified: true })
  const issued = await app('createToken', 'POST', `/users/${owner.id}/tokens`, { name: 'all', scopes: ALL_SCOPES })
  const readers = await app('createToken', 'POST', `/users/${recipient.id}/tokens`, { name: 'all', scopes: ALL_SCOPES })
  const tokens = { ownerToken: String(issued.token), recipientToken: String(readers.token) }
  const v1 = (operation: string, method: string, path: string, body?: unknown, token = tokens.ownerToken) =>
    ask(operation, `${server.url}/v1${path}`, { method, body, token })
  const hooked = await v1('createWebhook', 'POST', '/webhooks', {
    url: `${receiver.url}/${CONTENT.hookPath}?token=${CONTENT.hookQuery}`,
    events: ['session.completed', 'session.updated', 'session.deleted', 'session.action_items.updated']
  })
  const of = (path: string) => `/users/${owner.id}${path}`
  const document = (external: string) => ({
    external_id: external,
    title: CONTENT.title,
    notes: CONTENT.notes,
    tags: [CONTENT.tag],
    folders: [CONTENT.folder],
    segments: [{ speaker: CONTENT.speaker, start: 0, end: 2, text: `I will say ${CONTENT.said} by Friday.` }],
    speakers: [{ label: CONTENT.speaker, person: CONTENT.person }]
  })
  const failing = await app('createSession', 'POST', of('/sessions'), { ...document(`${CONTENT.external}-failing`) })
  await until(
    'the provider has failed it',
    async () => (await app('getSession', 'GET', of(`/sessions/${failing.id}`))).state === 'failed',
    120_000
  )
  const session = await app('createSession', 'POST', of('/sessions'), document(CONTENT.external!))
  const trashed = await app('createSession', 'POST', of('/sessions'), {
    ...document(`${CONTENT.external}-trashed`),
    summary: CONTENT.summary,
    action_items: [{ text: CONTENT.item, assignee: CONTENT.assignee }]
  })
  for (const { id } of [session, trashed])
    await until(
      'it is completed',
      async () => (await app('getSession', 'GET', of(`/sessions/${id}`))).state === 'completed'
    )
  await app(
    'uploadSession',
    'POST',
    of(`/sessions/upload?file=${CONTENT.file}.txt&title=${CONTENT.title}`),
    `${CONTENT.speaker}: ${CONTENT.said} again.`
  )
  await app('uploadSession', 'POST', of(`/sessions/upload?file=${CONTENT.file}.mp3`), sound(CONTENT.said!))
  const call = await app('startCall', 'POST', of('/calls'), {
    direction: 'inbound',
    contact_name: CONTENT.contact,
    external_id: `${CONTENT.external}-call`
  })
  await app('updateCall', 'PATCH', of(`/calls/${call.id}`), { status: 'missed' })
  const person = await app('createPerson', 'POST', of('/people'), { name: `${CONTENT.person} the second` })
  const [first] = (await v1('listPeople', 'GET', '/people')).people
  await app('correctSpeaker', 'PATCH', of(`/sessions/${session.id}/speakers`), {
    from: CONTENT.person,
    name: CONTENT.correctedName
  })
  await app('updateSession', 'PATCH', of(`/sessions/${session.id}`), {
    summary: CONTENT.summary,
    title: CONTENT.title,
    action_items: [{ text: CONTENT.item, assignee: CONTENT.assignee }]
  })
  const link = await v1('createShareLink', 'POST', `/sessions/${session.id}/sharing/link`)
  const proofs = { linkSecret: String(link.url).split('/').at(-1)! }
  await app('claimShare', 'POST', `/users/${recipient.id}/claims`, { url: link.url })
  for (const [name, part] of [
    ['getSharedSession', ''],
    ['getSharedTranscript', '/transcript'],
    ['getSharedActionItems', '/action-items']
  ] as const)
    await v1(name, 'GET', `/shared-sessions/${owner.id}/${session.id}${part}`, undefined, tokens.recipientToken)
  await v1('createShareInvites', 'POST', `/sessions/${session.id}/sharing/invites`, {
    emails: ['invited@example.test'],
    message: CONTENT.message
  })
  const rotated = await v1('rotateWebhookSecret', 'POST', `/webhooks/${hooked.id}/rotate-secret`)
  const hookSecrets = { hookSecret: String(hooked.secret), rotatedSecret: String(rotated.secret) }
  await v1('searchSessions', 'POST', '/sessions/search', {
    query: `${CONTENT.query} ${CONTENT.said}`,
    include_passages: true
  })
  await until('an invite was sent after all', () => smtp.received.length > 0)
  await until('events were delivered', () => receiver.received.length >= 4)

  // Every route of both documents as it should be asked, then with a fault in everything, then by nobody.
  const [folder] = (await v1('listFolders', 'GET', '/folders')).folders
  const events = (await v1('listEvents', 'GET', '/events')).events
  const sharing = await v1('getSessionSharing', 'GET', `/sessions/${session.id}/sharing`)
  const [item] = (await v1('listActionItems', 'GET', '/action-items')).action_items
  const ids = {
    owner: owner.id,
    session: session.id,
    folder: folder.id,
    person: first.id,
    otherPerson: person.id,
    webhook: hooked.id,
    event: events.at(-1).id,
    recipient: recipient.id,
    item: item.id,
    upload: 'upl_01jd0000000000000000000000',
    term: 'trm_01jd0000000000000000000000',
    template: 'tpl_01jd0000000000000000000000',
    export: 'exp_01jd0000000000000000000000',
    invite: sharing.pending_invites[0].invite_id,
    email: 'invited@example.test'
  }
  const known: Record<string, string> = {
    user_id: owner.id,
    session_id: session.id,
    person_id: person.id,
    folder_id: folder.id,
    token_id: readers.id,
    id: session.id,
    folderId: folder.id,
    owner_id: owner.id,
    recipientId: recipient.id
  }
  const documentOf = (file: string) => operationsOf(JSON.parse(readFileSync(`openapi/${file}`, 'utf8')) as Document)
  await app('deleteSession', 'DELETE', of(`/sessions/${trashed.id}?permanently=true`))
  /** What deletes comes after what reads, and the user last of all. */
  const turnOf = ({ name, method }: { name: string; method: string }) =>
    name === 'deleteUser' ? 2 : method === 'DELETE' ? 1 : 0
  for (const [file, base, token] of [
    ['openapi.json', server.url, tokens.ownerToken],
    ['admin.json', server.adminUrl, SETTINGS.APP_API_KEY]
  ] as const) {
    for (const operation of documentOf(file).sort((a, b) => turnOf(a) - turnOf(b))) {
      const row = file === 'openapi.json' ? ROWS[operation.name] : undefined
      const at = (names: (name: string) => string) =>
        base + operation.path.replace(/\{(\w+)\}/g, (_, name) => names(name))
      const [usual, wrong] = [
        at(name => row?.pathWords?.[name] ?? (row?.path ? ids[row.path[name]!] : known[name]) ?? 'x'),
        at(() => CONTENT.pathId!)
      ]
      const given = row?.body ? { body: row.body(ids) } : {}
      const query = `?limit=${CONTENT.parameter}&cursor=${CONTENT.parameter}&folder=${CONTENT.parameter}&token=${tokens.ownerToken}&email=${CONTENT.email}`
      const bad = operation.body
        ? {
            body: {
              wrong: CONTENT.wrongField,
              title: [CONTENT.wrongField],
              emails: CONTENT.wrongField,
              name: [CONTENT.wrongField]
            }
          }
        : {}
      const { method } = operation
      await ask(operation.name, wrong + query, { method, token, ...bad })
      await ask(operation.name, usual + query, { method, token: `${token}x`, ...bad })
      if (operation.body) await ask(operation.name, usual, { method, token, ...bad })
      await ask(operation.name, usual + (row?.query ?? ''), { method, token, ...given })
    }
  }
  for (const path of [
    `/join/${proofs.linkSecret}`,
    `/join/${CONTENT.join}`,
    `/shared/${owner.id}/${session.id}`,
    '/v1/docs',
    `/${CONTENT.pathId}?x=${CONTENT.parameter}`
  ]) {
    const reply = await fetch(server.url + path)
    answers.push({
      operation: path,
      status: reply.status,
      text: await reply.text(),
      headers: JSON.stringify([...reply.headers])
    })
  }

  const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text()
  await until(
    'the collector was told of all',
    () => collector.spans.length >= answers.filter(({ operation }) => operation in ROWS).length / 2
  )
  const database = await openPlace(place)
  await until('the user is erased', async () => !(await tablesWith(database, owner.id)).includes('users'))
  const left = await Promise.all(
    Object.values(CONTENT).map(async word => [...(await tablesWith(database, word)), ...filesWith(place.dataDir, word)])
  )
  expect(left.flat()).toEqual([])
  const doctor = await run({ environment: { ...place.environment, LOG_LEVEL: 'trace' } }, 'doctor')
  server.kill('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0 })

  const log = server.output.stdout + server.output.stderr
  const all = [...documentOf('openapi.json'), ...documentOf('admin.json')].map(({ name }) => name)
  expect(all.filter(name => !answers.some(({ operation }) => operation === name))).toEqual([])
  expect(log.split('\n').filter(line => line.includes('"msg":"request"')).length).toBeGreaterThan(150)
  expect(answers.filter(({ status }) => status === 500)).toEqual([])

  const secrets = { ...SETTINGS, ...tokens, ...hookSecrets, ...proofs }
  expect(found({ ...secrets, ...CONTENT }, log)).toEqual([])
  expect(found({ ...secrets, ...CONTENT }, metrics)).toEqual([])
  expect(found({ ...secrets, ...CONTENT }, collector.spans.map(span => JSON.stringify(span)).join('\n'))).toEqual([])
  expect(found({ ...secrets, ...CONTENT }, doctor.stdout + doctor.stderr)).toEqual([])
  const delivered = receiver.received.map(({ headers, body }) => JSON.stringify(headers) + body).join('\n')
  expect(found(secrets, delivered)).toEqual([])
  const mails = smtp.received.map(({ raw, mail }) => `${raw}${mail.text}${mail.html}`).join('\n')
  const { message, name, email, ...unsaid } = CONTENT
  expect(found({ ...secrets, ...unsaid }, mails)).toEqual([])
  const asked = provider.requests.map(({ body }) => JSON.stringify(body)).join('\n')
  expect(found(secrets, asked)).toEqual([])
  expect(provider.requests.every(({ headers }) => headers.authorization === `Bearer ${SETTINGS.OPENAI_API_KEY}`)).toBe(
    true
  )

  // Each is shown by what makes it, once, and by nothing else.
  const shownBy = (secret: string) =>
    answers
      .filter(({ text, headers }) => found({ secret }, text + headers).length > 0)
      .map(({ operation }) => operation)
  for (const secret of Object.values(SETTINGS)) expect(shownBy(secret)).toEqual([])
  expect(Object.values(tokens).map(shownBy)).toEqual([['createToken'], ['createToken']])
  expect(Object.values(hookSecrets).map(shownBy)).toEqual([['createWebhook'], ['rotateWebhookSecret']])
})
