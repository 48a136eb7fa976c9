// @module-tag postgres
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ALL_SCOPES } from '../../src/contract/scopes.ts'
import { type Block, blocks, PLACEHOLDER } from '../support/guides.ts'
import { afterFile, freePort, migratedDatabase, type Place, type Serving, serve, until } from '../support/process.ts'

const KEY = 'a-key-for-tests-and-for-nothing-else'
const SLOW = { timeout: 300_000 }

/** Programs that the commands of a page may need beside those of this repository. */
const PROGRAMS = ['curl', 'jq', 'python3'].filter(program => spawnSync(program, ['--version']).status !== 0)

const finally_ = afterFile()
let place: Place
let server: Serving
let receiver: string

beforeAll(async () => {
  const made = await migratedDatabase(finally_)
  const settings = {
    APP_API_KEY: KEY,
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    RATE_LIMIT_PER_MINUTE: '10000'
  }
  place = { ...made, environment: { ...made.environment, ...settings } }
  server = await serve(place, finally_)
  receiver = await openReceiver()
}, 90_000)

const runnable = blocks.filter(({ language, kind }) => language === 'sh' && kind === '')
const pages = [...new Set(runnable.map(({ path }) => path))]

describe('the commands of a guide do what they say, one after the other:', () => {
  test.for(pages)('%s', SLOW, async (path, { skip }) => {
    const reader = await newReader()
    const script = runnable.filter(block => block.path === path).map(block => filledIn(block, reader))
    const missing = PROGRAMS.filter(program => new RegExp(`\\b${program}\\b`).test(script.join()))
    skip(missing.length > 0, `${missing.join(', ')} is not installed`)
    expect(await runScript(script.join('\n'))).toMatchObject({ code: 0, stderr: '' })
  })
})

test.for(['README.md', 'docs/quickstart.md'])('%s shows the answer that its commands give', SLOW, async path => {
  const user = await newUser()
  const shown = blocks.findIndex(block => block.path === path && block.language === 'json')
  const commands = blocks.slice(0, shown).filter(block => runnable.includes(block) && block.path === path)
  const script = commands.map(block => filledIn(block, { ...user, session: '', webhook: '' }, user.email)).join('\n')
  const { stdout } = await runScript(
    `curl() { command curl "$@"; echo; }\n${script.replaceAll(/^.* (user|token) create .*$/gm, '')}`
  )
  expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toEqual(likeShown(blocks[shown]!.text))
})

/** An answer as a guide shows it: ids differ, similarities may differ from machine to machine, and a text that ends in … is its beginning. */
function likeShown(json: string) {
  return JSON.parse(json, (key, value) => {
    if (key === 'id') return expect.stringMatching(/^ses_/)
    if (key === 'similarity') return expect.closeTo(value, 1)
    if (typeof value !== 'string' || !value.endsWith('…')) return value
    return expect.stringMatching(new RegExp(`^${RegExp.escape(value.slice(0, -1).trim())}`))
  })
}

test('what webhooks listen posts arrives at the receiver of the guide', SLOW, async () => {
  const reader = await newReader()
  const programs = blocks.filter(({ path, kind }) => path === 'docs/api/webhooks.md' && kind === 'starts')
  const port = String(await freePort())
  const [receiving, posting] = programs.map(block =>
    filledIn(block, reader).replace('127.0.0.1:3000', `127.0.0.1:${port}`)
  )
  const [received, posted] = [start(receiving!, port), start(posting!)]
  await until('the receiver listens', () => fetch(`http://127.0.0.1:${port}`).catch(() => undefined))
  await until('events are awaited', () => posted.stderr.includes('Signing with'))
  const change = {
    method: 'PATCH',
    headers: { authorization: `Bearer ${reader.token}`, 'content-type': 'application/json' }
  }
  let turn = 0
  await until('the receiver prints the event', async () => {
    await fetch(`${server.url}/v1/sessions/${reader.session}`, {
      ...change,
      body: JSON.stringify({ title: `Changed ${turn++}` })
    })
    return received.stdout.includes('session.updated')
  })
})

test('a reader replaces no other placeholders than the tests do', () => {
  const known = ['prl_…', 'ses_…', 'whk_…', 'usr_…', '…']
  const unknown = runnable.flatMap(({ path, text }) =>
    (text.match(PLACEHOLDER) ?? []).filter(one => !known.includes(one)).map(one => `${path}: ${one}`)
  )
  expect(unknown).toEqual([])
})

interface User {
  id: string
  email: string
  token: string
}

async function newUser(): Promise<User> {
  const email = `reader-${Math.random().toString(36).slice(2)}@example.test`
  const { id } = await post('/app/v1/users', { email, email_verified: true })
  const { token } = await post(`/app/v1/users/${id}/tokens`, { name: 'guide', scopes: ALL_SCOPES })
  return { id: String(id), email, token: String(token) }
}

/** What a reader of a guide has: a user with a token, a session and a webhook. */
interface Reader extends User {
  session: string
  webhook: string
}

async function newReader(): Promise<Reader> {
  const { id, email, token } = await newUser()
  const document = {
    title: 'Weekly',
    summary: 'Given.',
    action_items: [{ text: 'Fix the battery', due_date: '2026-03-06' }],
    segments: [{ speaker: 'Ada', start: 0, end: 4, text: 'The battery is fixed by Friday.' }]
  }
  const { id: session } = await post(`/app/v1/users/${id}/sessions`, document)
  await until('the session is completed', async () => isListed(token))
  const { id: webhook } = await post('/v1/webhooks', { url: receiver, events: ['session.completed'] }, token)
  return { id, email, token, session: String(session), webhook: String(webhook) }
}

async function isListed(token: unknown) {
  const { body } = await server.get('/v1/sessions', String(token))
  return ((body as { sessions?: unknown[] }).sessions?.length ?? 0) > 0
}

async function post(path: string, body: unknown, token: unknown = KEY): Promise<Record<string, unknown>> {
  const url = `${path.startsWith('/app') ? server.adminUrl : server.url}${path}`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(`${path}: ${await reply.text()}`)
  return (await reply.json()) as Record<string, unknown>
}

/** The block with what a reader puts in place of addresses and placeholders. A page that creates its user gets a new one. */
function filledIn({ path, text }: Block, reader: Reader, email = newAddress(path, reader)) {
  return text
    .replaceAll('http://127.0.0.1:8080', server.url)
    .replaceAll('http://127.0.0.1:9090', server.adminUrl)
    .replaceAll('https://example.com/parlance', receiver)
    .replaceAll('ada@example.com', email)
    .replaceAll('APP_API_KEY=…', `APP_API_KEY=${KEY}`)
    .replaceAll('prl_…', reader.token)
    .replaceAll('ses_…', reader.session)
    .replaceAll('whk_…', reader.webhook)
    .replaceAll('usr_…', reader.id)
}

function newAddress(path: string, { email }: Reader) {
  const creates = runnable.some(block => block.path === path && /user create|\/users"$/m.test(block.text))
  return creates ? `new-${email}` : email
}

/** A refusal ends the script, as nobody is there to read it. */
const STRICT =
  'set -euo pipefail\ncurl() { command curl --fail-with-body --show-error "$@" || { echo >&2; return 1; }; }\n'

function start(script: string, port = new URL(server.url).port) {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, ...place.environment, PORT: port, RECEIVER_PORT: port, NODE_NO_WARNINGS: '1' }
  const child = spawn('bash', ['-c', STRICT + script], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    output.stderr += text
  })
  const ended = once(child, 'close').then(([code]) => Number(code ?? -1))
  onTestFinished(async () => {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
    await ended
  })
  return Object.assign(output, { ended })
}

async function runScript(script: string) {
  const running = start(script)
  const code = await running.ended
  return { code, stdout: running.stdout, stderr: code === 0 ? '' : `${running.stdout}\n${running.stderr}` }
}

/** A receiver of webhooks that takes whatever comes. */
async function openReceiver() {
  const http = createServer((request, response) => request.resume().on('end', () => response.writeHead(204).end()))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  finally_(async () => void http.close())
  const address = http.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hook`
}
