// @module-tag embedded
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import openapi from '../../openapi/openapi.json' with { type: 'json' }
import { LIMITS } from '../../src/contract/limits.ts'
import { UNLIMITED } from '../faults/load.ts'
import { migratedDatabase, newOwner, serve, temporaryFolder } from '../support/process.ts'

const MEBIBYTE = 1024 * 1024
const MAX_LOOP_MS = 100
const MAX_GROWTH = 50 * MEBIBYTE
const LONG = process.env.SECURITY === 'long'
const room = LIMITS.documentBytes - 1_000

const filled = (start: string, piece: string, end: string, bytes = room) =>
  start + piece.repeat(Math.floor((bytes - start.length - end.length) / piece.length)) + end
const said = '"segments":[{"text":"x"}]'

/** Bodies that no route accepts. */
const BODIES: Record<string, string> = {
  'empty objects': filled(`{${said},"z":[`, '{},', '{}]}'),
  'as many values as a document may have': `{${said},"z":[${'{},'.repeat(LIMITS.documentValues - 100)}{}]}`,
  'nested lists': '['.repeat(room),
  'keys of one object': `{${said},${Array.from({ length: 500_000 }, (_, at) => `"k${at}":1`).join(',')}}`,
  'segments without a text': `{"segments":[${'{"text":1},'.repeat(99_000)}{}]}`,
  'a segment of megabytes': filled('{"segments":[{"text":"', 'word and ', '"}]}'),
  'a summary of megabytes': filled(`{${said},"summary":"`, 'word and ', '"}'),
  'escaped NULs': filled('{"segments":[{"text":"', '\\u0000', '"}]}'),
  ...(LONG && {
    'line breaks': '\n'.repeat(room),
    'a number of megabytes': filled(`{${said},"z":`, '9', '}x'),
    'halves of pairs': filled('{"segments":[{"text":"', '\\ud800', '"}],"summary":1}'),
    'lists of lists': filled(`{${said},"z":[`, '[[]],', '[]]}')
  })
}

/** Files that no reader accepts, by name. */
const FILES: Record<string, string> = {
  'a.json': BODIES['empty objects'] ?? '',
  'b.json': BODIES['nested lists'] ?? '',
  'a.txt': filled('', 'Ada: Good morning, all of you.\n', ''),
  'a.vtt': filled('WEBVTT\n\n', '00:01.000 --> 00:02.000\n<v Ada>Good morning.\n\n', ''),
  ...(LONG && { 'b.txt': filled('', 'a\n', ''), 'a.srt': filled('', '1\n', ''), 'a.csv': filled('', 'a,', '') })
}

/** What a part of a file needs to be read. */
const PART_OF_FILE = { 'tus-resumable': '1.0.0', 'upload-offset': '0' }

interface Operation {
  requestBody?: { content: Record<string, unknown> }
}

/** Every operation that takes a body. A route that is added is tried, too. */
const OPERATIONS = Object.entries(openapi.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) =>
      requestBody ? [{ method: method.toUpperCase(), path, types: Object.keys(requestBody.content) }] : []
    )
)

test.runIf(existsSync('/proc/self/clear_refs'))(
  'no body and no file holds the event loop for 100 ms or takes 50 MB of the server, whatever the route',
  { timeout: LONG ? 3_600_000 : 900_000 },
  async () => {
    const place = await migratedDatabase()
    const { token } = await newOwner(place)
    const watched = join(temporaryFolder(), 'loop')
    const watch = `--import ${join(process.cwd(), 'test/support/loop-watch.ts')}`
    const environment = { ...place.environment, ...UNLIMITED, LOOP_WATCH: watched, NODE_OPTIONS: watch }
    const server = await serve({ environment })
    const send = async (method: string, path: string, type: string, body: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': type, ...PART_OF_FILE }
      const response = await fetch(`${server.url}${path.replaceAll(/\{\w+\}/g, 'none')}`, { method, headers, body })
      await response.arrayBuffer()
      return response.status
    }
    const memory = (name: string) => {
      const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
      return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
    }
    const costOf = async (run: () => Promise<number>) => {
      writeFileSync(watched, '')
      writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
      const before = memory('VmRSS')
      const status = await run()
      const loopMs = Math.max(...readFileSync(watched, 'utf8').split('\n').map(Number))
      return { status, loopMs, growth: memory('VmHWM') - before }
    }
    const tries = OPERATIONS.flatMap(({ method, path, types }) =>
      types.includes('application/json')
        ? Object.entries(BODIES).map(([name, body]) => ({ name, method, path, type: 'application/json', body }))
        : Object.entries(FILES).map(([name, body]) => ({
            name,
            method,
            body,
            type: types.find(type => type.endsWith('octet-stream')) ?? 'application/octet-stream',
            path: `${path}?file=${name}`
          }))
    )
    expect(tries.length).toBeGreaterThan(100)
    // What the program compiles and keeps for good at its first bodies is no cost of the body.
    await send('POST', '/v1/sessions', 'application/json', BODIES['segments without a text'] ?? '')
    await send('PATCH', '/v1/sessions/none', 'application/json', BODIES['a summary of megabytes'] ?? '')
    const costs: { loopMs: number; growth: number }[] = []
    for (const { name, method, path, type, body } of tries) {
      const cost = await costOf(() => send(method, path, type, body))
      costs.push(cost)
      expect({ name, method, path, ...cost }).toEqual({
        name,
        method,
        path,
        status: expect.toSatisfy(status => [400, 404, 409, 413, 422].includes(status)),
        loopMs: expect.toSatisfy(ms => ms < MAX_LOOP_MS),
        growth: expect.toSatisfy(bytes => bytes < MAX_GROWTH)
      })
    }
    if (LONG) {
      const [loopMs, growth] = [Math.max(...costs.map(c => c.loopMs)), Math.max(...costs.map(c => c.growth))]
      console.log({ loopMs, growthMiB: Math.round(growth / MEBIBYTE) })
    }
  }
)
