import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { everyScope } from '../../../src/features/access/actor.ts'
import { mediaLinks } from '../../../src/features/library/media-links.ts'
import { deleteRecording } from '../../../src/features/recordings/operations.ts'
import { s3Media } from '../../../src/features/recordings/s3-store.ts'
import { newBrowser, signInAs } from '../../support/console.ts'
import { fetchBytes, pathOf, record } from '../../support/recordings.ts'
import { BUCKET, S3_CREDENTIALS, startS3 } from '../../support/s3-server.ts'
import { buildTestApp, clock, NO_QUEUE, PUBLIC_URL, SECRET_KEY, testDatabase } from '../../support/server.ts'
import {
  ALL_SHARED,
  changeShareScope,
  claim,
  inviteTo,
  linkTo,
  newSharer,
  sharedSession
} from '../../support/sharing.ts'

const NO_MEDIA = { error: { code: 'not_found', message: 'Media not found' } }
const UNAVAILABLE = { status: 404, body: { error: { code: 'media_unavailable' } } }
const BYTES = randomBytes(1_000)

/** A shared session with a recording that the server keeps, and the recipient's link to it. */
async function sharedRecording() {
  const shared = await sharedSession()
  await record(shared.owner, shared.id, 'audio', BYTES)
  return { ...shared, url: await linkOf(shared) }
}

async function linkOf({ recipient, path }: Pick<Awaited<ReturnType<typeof sharedSession>>, 'recipient' | 'path'>) {
  const { body } = await recipient.get(`${path}/media`)
  return pathOf(body.url)
}

type SharedRecording = Awaited<ReturnType<typeof sharedRecording>>

/** How the link answers each kind of request. */
async function statusesOf({ owner, url }: Pick<SharedRecording, 'owner' | 'url'>) {
  const answers = [
    await fetchBytes(owner, url),
    await fetchBytes(owner, url, {}, 'HEAD'),
    await fetchBytes(owner, url, { range: 'bytes=0-9' }),
    await fetchBytes(owner, url, { range: 'bytes=0-9' }, 'HEAD')
  ]
  return answers.map(({ status }) => status)
}

const ALIVE = [200, 200, 206, 206]
const DEAD = [404, 404, 404, 404]

describe('GET /v1/shared-sessions/{owner_id}/{id}/media, of a recording that the server keeps', () => {
  test('answers a link of the recipient’s own, valid for an hour', async () => {
    const { owner, recipient, id, path } = await sharedRecording()
    expect(await recipient.get(`${path}/media`)).toEqual({
      status: 200,
      body: {
        kind: 'audio',
        url: expect.stringMatching(
          new RegExp(
            `^http://parlance\\.test/v1/media/${owner.id}/${id}/audio\\?expires=\\d+&grant=${recipient.id}\\.\\d+&signature=[\\w-]{43}$`
          )
        ),
        expires_at: '2026-03-02T11:00:00.000Z',
        external: false
      }
    })
  })

  test('answers a link that needs no token and returns all bytes, a part, or none to HEAD', async () => {
    const shared = await sharedRecording()
    const whole = await fetchBytes(shared.owner, shared.url)
    expect({ status: whole.status, type: whole.headers['content-type'] }).toEqual({ status: 200, type: 'audio/mpeg' })
    expect(whole.bytes.equals(BYTES)).toBe(true)
    const part = await fetchBytes(shared.owner, shared.url, { range: 'bytes=10-19' })
    expect({ status: part.status, range: part.headers['content-range'] }).toEqual({
      status: 206,
      range: 'bytes 10-19/1000'
    })
    expect(part.bytes.equals(BYTES.subarray(10, 20))).toBe(true)
    expect(await statusesOf(shared)).toEqual(ALIVE)
  })

  test('is the video if there is no audio, and the audio if there are both', async () => {
    const shared = await sharedSession()
    await record(shared.owner, shared.id, 'video', BYTES)
    expect((await shared.recipient.get(`${shared.path}/media`)).body).toMatchObject({ kind: 'video', external: false })
    expect(await statusesOf({ ...shared, url: await linkOf(shared) })).toEqual(ALIVE)
    await record(shared.owner, shared.id, 'audio', BYTES)
    expect((await shared.recipient.get(`${shared.path}/media`)).body).toMatchObject({ kind: 'audio', external: false })
  })

  test('prefers it to an external one of the same kind, and external audio to a stored video', async () => {
    const both = await sharedSession({ media: { audio: 'https://media.example/a.mp3' } })
    await record(both.owner, both.id, 'video', BYTES)
    const elsewhere = { kind: 'audio', url: 'https://media.example/a.mp3', expires_at: null, external: true }
    expect((await both.recipient.get(`${both.path}/media`)).body).toEqual(elsewhere)
    await record(both.owner, both.id, 'audio', BYTES)
    expect((await both.recipient.get(`${both.path}/media`)).body).toMatchObject({ kind: 'audio', external: false })
  })

  test('needs access and a share of audio, as an external recording does', async () => {
    const { owner, recipient, id, path } = await sharedRecording()
    const stranger = await newSharer()
    expect((await stranger.get(`${path}/media`)).body.error.code).toBe('not_found')
    await changeShareScope(owner, id, { ...ALL_SHARED, audio: false })
    expect(await recipient.get(`${path}/media`)).toMatchObject(UNAVAILABLE)
  })
})

describe('a recipient’s link to a recording is dead, to GET, HEAD and ranges alike,', () => {
  const EVENTS: [string, (shared: SharedRecording) => Promise<unknown>][] = [
    [
      'the owner removes the recipient',
      ({ owner, recipient, sharing }) => owner.delete(`${sharing}/people/${recipient.id}`)
    ],
    [
      'the owner resets the link and removes everyone',
      ({ owner, sharing }) => owner.post(`${sharing}/link/reset`, { remove_everyone: true })
    ],
    ['the owner stops sharing audio', ({ owner, id }) => changeShareScope(owner, id, { ...ALL_SHARED, audio: false })],
    [
      'the recording is deleted',
      ({ owner, id }) => deleteRecording({ db: owner.db, jobs: NO_QUEUE, clock }, everyScope(owner.id, 'command'), id)
    ],
    ['the session is deleted', ({ owner, id }) => owner.delete(`/v1/sessions/${id}`)]
  ]

  test.each(EVENTS)('from the moment that %s', async (_, happen) => {
    const shared = await sharedRecording()
    expect(await statusesOf(shared)).toEqual(ALIVE)
    await happen(shared)
    expect(await statusesOf(shared)).toEqual(DEAD)
    expect(JSON.parse((await fetchBytes(shared.owner, shared.url)).body)).toEqual(NO_MEDIA)
  })

  test('and stays dead when access is given again, even at the same instant; the new link works', async () => {
    const shared = await sharedRecording()
    await shared.owner.delete(`${shared.sharing}/people/${shared.recipient.id}`)
    await claim(shared.recipient, await linkTo(shared.owner, shared.id))
    const again = await linkOf(shared)
    expect(await statusesOf(shared)).toEqual(DEAD)
    expect(await statusesOf({ ...shared, url: again })).toEqual(ALIVE)
    await shared.owner.post(`${shared.sharing}/link/reset`, { remove_everyone: true })
    await claim(shared.recipient, await linkTo(shared.owner, shared.id))
    expect(await statusesOf({ ...shared, url: again })).toEqual(DEAD)
  })

  test('but not by changes that keep the access: a second claim, another’s removal, a reset that removes nobody', async () => {
    const shared = await sharedRecording()
    const other = await newSharer()
    await claim(other, await linkTo(shared.owner, shared.id))
    await claim(shared.recipient, await linkTo(shared.owner, shared.id))
    await claim(shared.recipient, await inviteTo(shared.owner, shared.id, `other-${shared.recipient.email}`))
    await shared.owner.delete(`${shared.sharing}/people/${other.id}`)
    await shared.owner.post(`${shared.sharing}/link/reset`, {})
    expect(await statusesOf(shared)).toEqual(ALIVE)
  })

  test('from the second that expires_at names', async () => {
    const { url } = await sharedRecording()
    for (const [now, expected] of [
      ['2026-03-02T10:59:59.999Z', ALIVE],
      ['2026-03-02T11:00:00.000Z', DEAD]
    ] as const) {
      const app = await buildTestApp({ clock: { now: () => new Date(now) } })
      onTestFinished(() => app.close())
      expect(await statusesOf({ owner: { app } as SharedRecording['owner'], url })).toEqual(expected)
    }
  })

  test('while the owner’s own links live on', async () => {
    const { owner, recipient, id, sharing } = await sharedRecording()
    const { body } = await owner.get(`/v1/sessions/${id}/media`)
    await owner.delete(`${sharing}/people/${recipient.id}`)
    expect(await statusesOf({ owner, url: pathOf(body.audio_url) })).toEqual(ALIVE)
  })
})

test('a recipient’s link is refused without its grant, with another grant, and with other text as its grant', async () => {
  const shared = await sharedRecording()
  const other = await newSharer()
  await claim(other, await linkTo(shared.owner, shared.id))
  const theirs = new URL(await linkOf({ ...shared, recipient: other }), 'http://x').searchParams.get('grant')!
  for (const grant of ['', theirs, 'x', '.', `${shared.recipient.id}.`, `${shared.recipient.id}.1`, '%0A']) {
    const url = shared.url.replace(/grant=[^&]*/, `grant=${grant}`)
    expect({ grant, status: (await fetchBytes(shared.owner, url)).status }).toEqual({ grant, status: 404 })
  }
  expect((await fetchBytes(shared.owner, shared.url.replace(/&grant=[^&]*/, ''))).status).toBe(404)
})

test.each(['x', '.', 'usr_1.1', 'USR.1', 'USR.999999999999999', 'USR.9999999999999999', 'USR.-1'])(
  'a correctly signed link to the unknown grant %s is answered like an unknown link',
  async text => {
    const { owner, recipient, id } = await sharedRecording()
    const grant = text.replace('USR', recipient.id)
    const links = mediaLinks({ publicUrl: PUBLIC_URL, secretKey: SECRET_KEY })
    const url = links.urlOf(
      { userId: owner.id, sessionId: id, kind: 'audio', grant },
      new Date(clock.now().getTime() + 60_000)
    )
    const { status, body } = await fetchBytes(owner, pathOf(url))
    expect({ status, body: JSON.parse(body) }).toEqual({ status: 404, body: NO_MEDIA })
  }
)

describe('a link to a recording in a bucket', () => {
  beforeEach(() => {
    for (const [name, value] of Object.entries(S3_CREDENTIALS)) vi.stubEnv(name, value)
    return () => vi.unstubAllEnvs()
  })

  /** A shared recording in a bucket, on a server of its own: the owner's link and the recipient's. The bucket looks at the real clock. */
  async function bucketRecording(endpoint: string) {
    const store = s3Media({ bucket: BUCKET, prefix: '', region: 'us-east-1', endpoint })
    const time = { now: new Date() }
    const app = await buildTestApp({ media: store, clock: { now: () => time.now } })
    onTestFinished(() => app.close())
    const base = await app.listen({ host: '127.0.0.1', port: 0 })
    const shared = await sharedSession()
    const read = async (path: string, token: string) =>
      (await app.inject({ url: path, headers: { authorization: `Bearer ${token}` } })).json()
    const links = async () => {
      const { audio_url: ofOwner } = await read(`/v1/sessions/${shared.id}/media`, shared.owner.token)
      const answer = await read(`${shared.path}/media`, shared.recipient.token)
      return { ofOwner: base + pathOf(ofOwner), ofRecipient: base + pathOf(answer.url), answer }
    }
    return {
      ...shared,
      store,
      time,
      links,
      forget: () =>
        deleteRecording(
          { db: shared.owner.db, jobs: NO_QUEUE, clock },
          everyScope(shared.owner.id, 'command'),
          shared.id
        )
    }
  }

  test('plays in the page of the shared session, which loads nothing from another server', async () => {
    const s3 = await startS3()
    const store = s3Media({ bucket: BUCKET, prefix: '', region: 'us-east-1', endpoint: s3.endpoint })
    const served = { db: (await testDatabase()).db, app: await buildTestApp({ media: store }) }
    const { owner, recipient, id } = await sharedSession()
    const page = `/shared/${owner.id}/${id}`
    const browser = newBrowser(served)
    await signInAs(browser, recipient.email)
    const policyOf = ({ headers }: Awaited<ReturnType<typeof browser.get>>) =>
      String(headers['content-security-policy'])
        .split('; ')
        .find(part => part.startsWith('media-src'))
    expect(policyOf(await browser.get(page))).toBe("media-src 'self'")
    await record(owner, id, 'audio', Buffer.from('RECORDED'))
    const shown = await browser.get(page)
    expect(shown.body).toMatch(/<audio controls preload="metadata" src="\/v1\/media\//)
    expect(policyOf(shown)).toBe(`media-src 'self' ${s3.endpoint}`)
  })

  test('is a link of the server, valid for an hour, for the owner and for recipients', async () => {
    const server = await startS3()
    const { owner, id, store, time, links } = await bucketRecording(server.endpoint)
    await record(owner, id, 'audio', BYTES, store)
    const { ofOwner, ofRecipient, answer } = await links()
    const end = new Date((Math.floor(time.now.getTime() / 1_000) + 3_600) * 1_000)
    expect(answer).toMatchObject({ kind: 'audio', expires_at: end.toISOString(), external: false })
    const statuses = async () => [(await fetch(ofOwner)).status, (await fetch(ofRecipient)).status]
    expect(await statuses()).toEqual([200, 200])
    time.now = end
    expect(await statuses()).toEqual([404, 404])
  })

  test('leads to a URL that is valid for a minute and is not cached', async () => {
    const server = await startS3()
    const { owner, id, store, links } = await bucketRecording(server.endpoint)
    await record(owner, id, 'audio', BYTES, store)
    for (const url of Object.values(await links()).slice(0, 2)) {
      const { status, headers } = await fetch(String(url), { redirect: 'manual' })
      const address = new URL(headers.get('location')!)
      expect({
        status,
        cache: headers.get('cache-control'),
        host: address.origin,
        seconds: address.searchParams.get('X-Amz-Expires')
      }).toEqual({
        status: 302,
        cache: 'no-store',
        host: server.endpoint,
        seconds: '60'
      })
    }
  })

  test('answers GET, HEAD and ranges to clients that follow the redirect', async () => {
    const server = await startS3()
    const { owner, id, store, links } = await bucketRecording(server.endpoint)
    await record(owner, id, 'audio', BYTES, store)
    const { ofRecipient } = await links()
    expect(Buffer.from(await (await fetch(ofRecipient)).arrayBuffer()).equals(BYTES)).toBe(true)
    const part = await fetch(ofRecipient, { headers: { range: 'bytes=10-19' } })
    expect({ status: part.status, range: part.headers.get('content-range') }).toEqual({
      status: 206,
      range: 'bytes 10-19/1000'
    })
    expect(Buffer.from(await part.arrayBuffer()).equals(BYTES.subarray(10, 20))).toBe(true)
    const head = await fetch(ofRecipient, { method: 'HEAD' })
    expect({ status: head.status, length: head.headers.get('content-length') }).toEqual({ status: 200, length: '1000' })
  })

  test('ends at once with the access, the recording and the session', async () => {
    const server = await startS3()
    const { owner, recipient, sharing, id, store, links, forget } = await bucketRecording(server.endpoint)
    await record(owner, id, 'audio', BYTES, store)
    const { ofOwner, ofRecipient } = await links()
    await owner.delete(`${sharing}/people/${recipient.id}`)
    expect([(await fetch(ofOwner)).status, (await fetch(ofRecipient)).status]).toEqual([200, 404])
    await forget()
    expect((await fetch(ofOwner)).status).toBe(404)
    expect(server.keys()).toHaveLength(1)
  })

  test('answers 503 while no URL can be signed', async () => {
    for (const name of Object.keys(S3_CREDENTIALS)) vi.stubEnv(name, '')
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/nowhere')
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
    const { owner, id, links } = await bucketRecording('http://127.0.0.1:1')
    await record(owner, id, 'audio', BYTES)
    const { ofOwner, ofRecipient } = await links()
    for (const url of [ofOwner, ofRecipient]) {
      const reply = await fetch(url)
      expect({ status: reply.status, retryAfter: reply.headers.get('retry-after'), body: await reply.json() }).toEqual({
        status: 503,
        retryAfter: '60',
        body: { error: { code: 'service_unavailable', message: 'The recording cannot be read now; try again' } }
      })
    }
  })
})
