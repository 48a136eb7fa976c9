import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDiskReserve } from '../../../src/platform/work/disk-reserve.ts'
import { portOf } from '../../support/http.ts'
import { buildTestApp, newUserOf, testDatabase } from '../../support/server.ts'

const MIB = 2 ** 20
const LARGE = Buffer.alloc(10 * MIB, 'a')
const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n'
const FORM = Buffer.concat([Buffer.from(HEAD), LARGE, Buffer.from('\r\n--x--\r\n')])
const FORM_TYPE = { 'content-type': 'multipart/form-data; boundary=x' }
const lengthOf = ({ length }: Buffer) => ({ 'content-length': length })

/** A server, and requests to it over one connection. */
async function listening(diskReserveMib: number) {
  const uploadFolder = mkdtempSync(join(tmpdir(), 'parlance-test-connections-'))
  const app = await buildTestApp({ transcribes: true, diskReserve: openDiskReserve(diskReserveMib), uploadFolder })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(async () => {
    agent.destroy()
    await app.close()
    rmSync(uploadFolder, { recursive: true })
  })
  const { token } = await newUserOf({ db: (await testDatabase()).db, app })
  const sockets = new Set<unknown>()

  function ask(method: string, path: string, headers: object = {}, body?: Buffer) {
    return new Promise<number | undefined>((resolve, reject) => {
      const sent = request({
        host: '127.0.0.1',
        port: portOf(app),
        method,
        path,
        agent,
        headers: { authorization: `Bearer ${token}`, ...headers }
      })
      sent.on('socket', socket => sockets.add(socket)).on('error', reject)
      sent.on('response', response => response.resume().on('end', () => resolve(response.statusCode)))
      sent.end(body)
    })
  }
  return { ask, sockets, uploadFolder }
}

const BYTES = { 'content-type': 'application/octet-stream' }
const ALL_OF_IT = 900_000_000

test.each<[string, number, string, object, Buffer, number]>([
  ['a whole body', ALL_OF_IT, '?file=a.mp3', { ...BYTES, ...lengthOf(LARGE) }, LARGE, 503],
  ['a body of unknown length', ALL_OF_IT, '?file=a.mp3', BYTES, LARGE, 503],
  ['a form', ALL_OF_IT, '', { ...FORM_TYPE, ...lengthOf(FORM) }, FORM, 503],
  ['a form of unknown length', ALL_OF_IT, '', FORM_TYPE, FORM, 503],
  ['a transcript that grows too large', 0, '?file=a.vtt', BYTES, Buffer.concat([LARGE, LARGE, LARGE]), 413]
])(
  'after %s that is refused on its way, the connection takes the next request',
  async (_, mib, query, headers, body, status) => {
    const { ask, sockets, uploadFolder } = await listening(mib)
    expect(await ask('POST', `/v1/sessions/upload${query}`, headers, body)).toBe(status)
    expect(await ask('GET', '/v1/account')).toBe(200)
    expect(sockets.size).toBe(1)
    expect(readdirSync(uploadFolder)).toEqual([])
  }
)
