import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueToken } from '../../../src/features/access/tokens.ts'
import { localMedia } from '../../../src/features/recordings/local-store.ts'
import type { Services } from '../../../src/features/services.ts'
import { openDiskReserve } from '../../../src/platform/work/disk-reserve.ts'
import { type Document, type Operation, operationsOf } from '../../fuzz/document.ts'
import { buildTestAdminApi, KEY } from '../../support/admin-api.ts'
import { portOf } from '../../support/http.ts'
import { temporaryFolder } from '../../support/process.ts'
import { record } from '../../support/recordings.ts'
import { buildTestApp, clock, newUser, PUBLIC_URL } from '../../support/server.ts'
import { openWire, type WireAnswer } from '../../support/wire.ts'

const BESIDE = 'LIES BESIDE THE RECORDINGS'

type User = Awaited<ReturnType<typeof newUser>>

interface Api {
  operations: Operation[]
  wire: ReturnType<typeof openWire>
  credentials: string
  /** Values of the path's parameters that are there. */
  known: Record<string, string>
}

const apis = {} as Record<'/v1' | '/app/v1', Api>
const closers: (() => unknown)[] = []
let user: User
let media: Services['media']
let recording: string
let folder: string

beforeAll(async () => {
  folder = temporaryFolder(closing => void closers.push(closing))
  writeFileSync(join(folder, 'beside.txt'), BESIDE)
  mkdirSync(join(folder, 'media'))
  media = localMedia(join(folder, 'media'), openDiskReserve(0))
  user = await newUser()
  const [app, adminApi] = [await buildTestApp({ media }), await buildTestAdminApi({ media })]
  for (const one of [app, adminApi]) await one.listen({ host: '127.0.0.1', port: 0 })
  closers.push(
    () => app.close(),
    () => adminApi.close()
  )
  const session = await user.session({ speakers: [{ label: 'Ada', person: 'Ada Lovelace' }], folders: ['Clients'] })
  recording = await record(user, session, 'audio', Buffer.from('RECORDED'), media)
  const idOf = async (url: string, list: string) => String((await user.get(url)).body[list][0].id)
  const [folderId, person] = [await idOf('/v1/folders', 'folders'), await idOf('/v1/people', 'people')]
  for (const [name, one, path, credentials] of [
    ['/v1', app, '/v1/openapi.json', user.token],
    ['/app/v1', adminApi, '/app/v1/openapi.json', KEY]
  ] as const) {
    const operations = operationsOf((await one.inject(path)).json<Document>())
    const known = {
      id: session,
      session_id: session,
      user_id: user.id,
      owner_id: user.id,
      folderId,
      folder_id: folderId,
      person_id: person
    }
    const wire = openWire(portOf(one))
    closers.push(wire.close)
    apis[name] = { operations, wire, credentials, known }
  }
})

afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

function pathOf({ path }: Operation, { known }: Api) {
  return path.replace(/\{(\w+)\}/g, (_, name) => known[name] ?? 'ses_01jd0000000000000000000000')
}

const SLOW = { timeout: 180_000 }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const json = { 'content-type': 'application/json' }

/** A few at a time, as the connections are. */
async function inTurns<T>(all: T[], work: (one: T) => Promise<void>) {
  const rest = [...all]
  const turn = async () => {
    for (let one = rest.pop(); one !== undefined; one = rest.pop()) await work(one)
  }
  await Promise.all([turn(), turn(), turn(), turn()])
}

/** Ways of writing a path that have led past a check elsewhere: one sees another path than the next. */
const WRITTEN: Record<string, (path: string) => string> = {
  'an encoded letter': path =>
    path.replace(/\/([a-z])([^/]*)$/, (_, first, rest) => `/%${first.charCodeAt(0).toString(16)}${rest}`),
  'an encoded letter of the prefix': path => path.replace('/v1', '/%761'),
  'every letter encoded': path => path.replace(/[a-z0-9]/g, letter => `%${letter.charCodeAt(0).toString(16)}`),
  'an encoding of an encoding': path => path.replace('v1', '%2576%2531'),
  'two slashes before': path => `/${path}`,
  'two slashes within': path => path.replace('/v1/', '/v1//'),
  'an encoded slash': path => path.replace('/v1/', '/v1%2F'),
  'an encoded slash in small letters': path => path.replace('/v1/', '/v1%2f'),
  'a backslash': path => path.replace('/v1/', '/v1\\'),
  'a slash after': path => `${path}/`,
  'two slashes after': path => `${path}//`,
  'a dot within': path => path.replace('/v1/', '/v1/./'),
  'dots within': path => path.replace('/v1/', '/v1/x/../'),
  'encoded dots': path => path.replace('/v1/', '/v1/x/%2e%2e/'),
  'dots from an open path': path => path.replace('/v1/', '/v1/docs/../'),
  'dots from an open path, encoded': path => path.replace('/v1/', '/v1/docs/..%2f'),
  'dots before': path => `/../..${path}`,
  'a semicolon after': path => `${path};x`,
  'a semicolon within': path => path.replace('/v1/', '/v1;a=b/'),
  'a semicolon and an open path': path => `${path};/v1/openapi.json`,
  'another case': path => path.replace('v1', 'V1'),
  'an ending': path => `${path}.json`,
  'a NUL after': path => `${path}%00`,
  'a NUL and an open path': path => `${path}%00/v1/openapi.json`,
  'an encoded question mark': path => `${path}%3fx`,
  'a number sign': path => `${path}#/v1/openapi.json`,
  'a line break': path => `${path}%0d%0ax`,
  'a host before': path => `http://localhost${path}`,
  'a host that is another': path => `http://localhost/v1/openapi.json@x${path}`
}

/** With which the body is no JSON to one who looks and JSON to one who reads. */
const TYPES = [
  'application/json\t;a',
  'application/json ;a',
  ' application/json',
  '\tapplication/json',
  'application/json;',
  'Application/JSON',
  'application/json;charset=utf-7',
  'application/json; charset=utf-16',
  'application/json;charset="utf-8',
  'application/json,text/plain',
  'text/plain,application/json',
  'application/json/x',
  'application/jsonx',
  'application /json',
  'application/\tjson',
  'text/json',
  '*/*',
  'json',
  'application/vnd.api+json',
  'application/json+x',
  'text/plain',
  'text/plain; application/json',
  'multipart/form-data; boundary=application/json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  ';application/json',
  'application/json\u00a0'
]

describe.each(['/v1', '/app/v1'] as const)('below %s', name => {
  test('no spelling of a path gives an answer to a caller without the right to it', SLOW, async () => {
    const api = apis[name]
    const { token } = await issueToken(user.db, user.id, 'none', [], clock.now())
    const passed: string[] = []
    const reached = new Map<string, number>()
    const guarded = api.operations.filter(({ isPublic }) => !isPublic)
    const each = guarded.flatMap(operation =>
      Object.entries(WRITTEN).flatMap(([way, write]) =>
        (operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]).map(method => ({
          operation,
          way,
          method,
          path: write(pathOf(operation, api))
        }))
      )
    )
    await inTurns(each, async ({ operation, way, method, path }) => {
      const body = operation.body ? { body: '[]', headers: json } : {}
      const none = await api.wire.send({ ...body, method, path })
      if (none.status !== 401)
        return void ([400, 404, 405].includes(none.status) || passed.push(`${method} ${path}: ${none.status}`))
      reached.set(way, (reached.get(way) ?? 0) + 1)
      const unscoped = await api.wire.send({ ...body, method, path, headers: { ...body.headers, ...bearer(token) } })
      if (![401, 403].includes(unscoped.status)) passed.push(`${method} ${path} without scope: ${unscoped.status}`)
    })
    expect(passed).toEqual([])
    // A path that is decoded is the route itself; all routes were met with.
    expect(reached.get('an encoded letter of the prefix')).toBeGreaterThanOrEqual(guarded.length)
    expect(reached.get('every letter encoded')).toBeGreaterThanOrEqual(guarded.length)
  })

  test('a token or key counts only in its header', async () => {
    const api = apis[name]
    const elsewhere = ['access_token', 'token', 'api_key', 'key', 'authorization', 'bearer']
    const query = elsewhere.map(one => `${one}=${api.credentials}`).join('&')
    const headers = {
      cookie: elsewhere.map(one => `${one}=${api.credentials}`).join('; '),
      'x-api-key': api.credentials,
      'x-access-token': api.credentials,
      'proxy-authorization': `Bearer ${api.credentials}`,
      'x-forwarded-authorization': `Bearer ${api.credentials}`,
      'x-original-url': '/v1/openapi.json',
      'x-rewrite-url': '/v1/openapi.json'
    }
    for (const operation of api.operations.filter(({ isPublic }) => !isPublic)) {
      const { status } = await api.wire.send({
        method: operation.method,
        path: `${pathOf(operation, api)}?${query}`,
        headers
      })
      expect(status, operation.name).toBe(401)
    }
  })

  test('an invalid body is refused under any content type', SLOW, async () => {
    const api = apis[name]
    const passed: string[] = []
    const bodies = ['[]', '7', Buffer.from('[]', 'utf16le')]
    const takers = api.operations.filter(({ body }) => body)
    const each = takers.flatMap(operation =>
      TYPES.flatMap((type, n) => (n % 9 === 0 ? bodies : ['[]']).map(body => ({ operation, type, body })))
    )
    await inTurns(each, async ({ operation, type, body }) => {
      const headers = { ...bearer(api.credentials), 'content-type': type }
      const { status } = await api.wire.send({ method: operation.method, path: pathOf(operation, api), headers, body })
      if (![400, 415].includes(status)) passed.push(`${operation.name} ${JSON.stringify(type)} ${body}: ${status}`)
    })
    for (const operation of takers) {
      const sent = {
        method: operation.method,
        path: pathOf(operation, api),
        headers: bearer(api.credentials),
        body: '[]'
      }
      expect((await api.wire.send(sent)).status, operation.name).toBe(415)
    }
    expect(passed).toEqual([])
  })
})

describe('a request for a file', () => {
  const UP = [
    '..',
    '%2e%2e',
    '.%2e',
    '..%2f..',
    '%2e%2e%2f%2e%2e',
    '..%5c..',
    '..\\..',
    '%252e%252e%252f',
    '..%c0%af..',
    '....//',
    '..;',
    '%00',
    '%2f',
    ''
  ]
  const WHAT = ['beside.txt', 'package.json', 'etc/passwd']

  function isInside({ text }: WireAnswer) {
    return (
      !text.includes(BESIDE) && !text.includes('"dependencies"') && !text.includes('root:') && !text.includes('PATH=')
    )
  }

  test.each(['/v1/media', '/v1/media/x/y', '/v1/docs', '/join', '/shared/x'])(
    'gets no file outside the folder, at %s',
    async base => {
      const { wire } = apis['/v1']
      for (const up of UP) {
        for (const what of WHAT) {
          for (const depth of [1, 6]) {
            const path = `${base}/${Array(depth).fill(up).join('/')}/${what}`
            const answer = await wire.send({ method: 'GET', path })
            expect([400, 404], path).toContain(answer.status)
            expect(isInside(answer), path).toBe(true)
          }
        }
      }
    }
  )

  test('is refused with a link whose parts differ from its signature, and with a key that leads outside', async () => {
    const { wire } = apis['/v1']
    const { body } = await apis['/v1'].wire
      .send({ method: 'GET', path: `/v1/sessions/${apis['/v1'].known.id}/media`, headers: bearer(user.token) })
      .then(answer => ({ body: JSON.parse(answer.text) }))
    const link = String(body.audio_url).replace(PUBLIC_URL, '')
    expect((await wire.send({ method: 'GET', path: link })).text).toBe('RECORDED')
    const [, owner = '', session = ''] = /media\/([^/]+)\/([^/]+)\//.exec(link) ?? []
    const others = [
      link.replace(session, `..%2f${session}`),
      link.replace(`${owner}/${session}`, `${owner}%2F${session}`),
      link.replace('/audio', '/..%2faudio'),
      link.replace('/audio', '/audio%2f'),
      link.replace('/audio', '//audio'),
      link.replace('/v1/media', '/v1/media/.')
    ]
    for (const path of others) expect((await wire.send({ method: 'GET', path })).status, path).toBe(404)

    // As if the database had been given one: the store of files and the route that reads it each refuse it.
    for (const key of [
      `${dirname(dirname(recording))}/../../beside.txt`,
      '../beside.txt',
      '/etc/passwd',
      `${recording}/../../../../beside.txt`
    ]) {
      await user.db.execute(`update media set key = '${key}' where user_id = '${user.id}'`)
      const answer = await wire.send({ method: 'GET', path: link })
      expect([answer.status, isInside(answer)], key).toEqual([404, true])
      await expect(media.put(key, join(folder, 'beside.txt'), 'audio/mpeg')).rejects.toThrow()
    }
  })
})
