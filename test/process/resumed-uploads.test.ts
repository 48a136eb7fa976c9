// @module-tag postgres

import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Upload } from 'tus-js-client'
import { expect, onTestFinished, test } from 'vitest'
import { UNLIMITED } from '../faults/load.ts'
import { startAiServer } from '../support/ai-server.ts'
import { digestOf, MIB, writeRecording } from '../support/large-files.ts'
import {
  freePort,
  migratedDatabase,
  newOwner,
  rowsOf,
  type Serving,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'

/** A longer run sends a gigabyte and kills more often. */
const SIZE = Number(process.env.UPLOAD_MIB ?? 64) * MIB
const KILLS = Number(process.env.UPLOAD_KILLS ?? 1)
const PART = 8 * MIB
const MAX_GROWTH = 128 * MIB

/** The bytes that a process has for itself; 0 for one that has ended. */
function memoryOf(pid: number) {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

test(`an upload goes on after servers and clients are killed, byte for byte, with level memory, and leaves nothing`, {
  timeout: 900_000
}, async () => {
  const provider = await startAiServer()
  onTestFinished(() => provider.close())
  const fresh = await migratedDatabase()
  const settings = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.url, TRANSCRIPTION_MODEL: 'whisper-1' }
  const environment = { ...fresh.environment, ...UNLIMITED, ...settings, PORT: String(await freePort()) }
  const place = { ...fresh, environment }
  const { id: userId, token } = await newOwner(place)
  const file = join(temporaryFolder(), 'talk.mp3')
  writeRecording(file, SIZE)
  let server: Serving = await serve(place)
  const idle = memoryOf(server.pid)
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(server.pid))
  }, 200)
  onTestFinished(() => clearInterval(watch))

  /** Where the server is killed, and where the client gives up; the rest is sent by another client. */
  const kills = Array.from({ length: KILLS }, (_, at) => ((at + 0.4) * SIZE) / KILLS)
  const ends = Array.from({ length: KILLS }, (_, at) => ((at + 0.8) * SIZE) / KILLS)
  let restarting: Promise<void> | undefined

  async function restart() {
    server.kill('SIGKILL')
    await server.ended
    server = await serve(place)
  }

  /** Sends until the end, or until this client is ended; returns the address of the upload. */
  function send(uploadUrl: string | null) {
    return new Promise<{ url: string; done: boolean }>((resolve, reject) => {
      const upload: Upload = new Upload(createReadStream(file), {
        endpoint: `${server.url}/v1/uploads`,
        uploadUrl,
        uploadSize: SIZE,
        chunkSize: PART,
        retryDelays: Array<number>(60).fill(1_000),
        headers: { authorization: `Bearer ${token}` },
        metadata: { filename: 'talk.mp3' },
        onProgress(sent) {
          const [kill = Infinity, end = Infinity] = [kills[0], ends[0]]
          if (sent > kill) {
            kills.shift()
            restarting = restart()
          } else if (sent > end && kills.length < ends.length) {
            ends.shift()
            void upload.abort().then(() => resolve({ url: upload.url ?? '', done: false }), reject)
          }
        },
        onSuccess: () => resolve({ url: upload.url ?? '', done: true }),
        onError: reject
      })
      upload.start()
    })
  }

  let sent = await send(null)
  while (!sent.done) sent = await send(sent.url)
  await restarting
  expect([kills, ends]).toEqual([[], []])

  const asked = { method: 'POST', headers: { authorization: `Bearer ${token}` } }
  const answer = await fetch(`${server.url}/v1/sessions/upload?upload=${sent.url.split('/').at(-1)}`, asked)
  const { id } = (await answer.json()) as { id: string }
  expect(answer.status).toBe(202)
  const growth = peak - idle
  if (process.env.UPLOAD_MIB) console.log({ idle: idle / MIB, peak: peak / MIB })
  expect(growth).toBeLessThan(MAX_GROWTH)

  const stored = join(place.dataDir, 'media', userId, id, 'audio.mp3')
  expect(await digestOf(stored)).toBe(await digestOf(file))
  expect(readdirSync(join(place.dataDir, 'parts'))).toEqual([])
  expect(readdirSync(join(place.dataDir, 'media'), { recursive: true }).length).toBe(3)
  expect(await rowsOf(place, 'select bytes_stored::int as bytes from user_counters')).toEqual([{ bytes: SIZE }])
  await until('it is processed', async () => (await server.get(`/v1/sessions/${id}`, token)).status === 200)
})
