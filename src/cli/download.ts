import { open, stat } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { CommandFailed } from './output.ts'
import type { Progress } from './progress.ts'

/** The attempts in a row that bring no byte. */
const MAX_ATTEMPTS = 10
const PAUSE_MS = 2_000

/** Downloads a file of these bytes to a path. It goes on behind what is there, however often the connection breaks. */
export async function download(url: string, path: string, bytes: number, progress: Progress) {
  for (let attempts = 0; ; ) {
    const from = await sizeOf(path)
    if (from === bytes) return
    if (from > bytes) throw new CommandFailed(`${path} is longer than the export; delete it, and try again`)
    const reason = await append(url, path, from, done =>
      progress.show(`${Math.floor((100 * done) / bytes)} % downloaded`)
    )
    const after = await sizeOf(path)
    attempts = after > from ? 0 : attempts + 1
    if (after >= bytes) continue
    if (attempts >= MAX_ATTEMPTS)
      throw new CommandFailed(`The download broke off (${reason}); run the command again to go on`)
    if (attempts > 0) await setTimeout(PAUSE_MS)
  }
}

/** Appends what arrives, and returns why no more does. */
async function append(url: string, path: string, from: number, onBytes: (done: number) => void) {
  await using file = await open(path, 'a', 0o600)
  try {
    const answer = await fetch(url, { headers: { range: `bytes=${from}-` } })
    if (answer.status === 404) throw new CommandFailed('The export is gone; run the command again for a new one')
    // A whole file in place of a part would be appended to what is there.
    if (answer.status !== 206 || !answer.body) return `the server answered ${answer.status}`
    let done = from
    for await (const chunk of answer.body) {
      await file.write(chunk)
      done += chunk.length
      onBytes(done)
    }
    return 'the connection ended'
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    return error instanceof Error ? error.message : 'unknown'
  }
}

async function sizeOf(path: string) {
  return (await stat(path).catch(() => undefined))?.size ?? 0
}
