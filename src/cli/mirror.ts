import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { wholeNumber } from '../contract/common.ts'
import { readConfig } from '../platform/config/config.ts'
import { httpUrl } from '../platform/config/settings.ts'
import { takeLock } from '../platform/db/embedded/lock.ts'
import { publicUrlOf } from '../server/compose.ts'
import { openMirror } from './mirror-folder.ts'
import { runRound } from './mirror-round.ts'
import { openSource } from './mirror-source.ts'
import { addCommand, optionOf } from './options.ts'
import { CommandFailed, printError, show } from './output.ts'

const DEFAULT_EVERY_SECONDS = 10

export function addMirror(program: Command) {
  const description = 'keep a folder of Markdown equal to a library, until interrupted'
  addCommand(program, 'mirror', description, 'one JSON value per line')
    .argument('<folder>', 'folder of the mirror, created if missing')
    .requiredOption('--token <token>', 'token with the scopes sessions:read, transcripts:read and folders:read')
    .option(
      '--url <url>',
      'URL of the server (default: PUBLIC_URL, or the configured port of this machine)',
      optionOf(httpUrl)
    )
    .option(
      '--every <seconds>',
      'pause between two looks at the server',
      optionOf(wholeNumber(1, 86_400)),
      DEFAULT_EVERY_SECONDS
    )
    .option('--once', 'end once the folder is equal')
    .action(mirror)
}

interface MirrorOptions {
  token: string
  url?: string
  every: number
  once?: boolean
  json?: boolean
}

async function mirror(name: string, { token, url = publicUrlOf(readConfig()), every, once, json }: MirrorOptions) {
  const folder = resolve(name)
  await mkdir(join(folder, '.parlance'), { recursive: true })
  const lock = takeLock(join(folder, '.parlance', 'lock'))
  if (!lock) throw new CommandFailed(`Another mirror writes to ${folder}; stop it, or choose another folder`)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  try {
    const opened = await openMirror(folder, url)
    const source = openSource({ url, token, signal: stop.signal, onAway: printError })
    for (let isFirst = true; !stop.signal.aborted; isFirst = false) {
      const done = await runRound(source, opened, isFirst)
      const isNews = done.written > 0 || done.removed > 0
      if (isNews || once) show(json, done, `Written: ${done.written}. Removed: ${done.removed}.`)
      if (once) return
      await wait(every * 1_000, undefined, { signal: stop.signal })
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    lock.release()
  }
}
