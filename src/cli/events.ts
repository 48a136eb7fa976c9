import type { Command } from 'commander'
import { wholeNumber } from '../contract/common.ts'
import { oneLine } from '../contract/text.ts'
import { readConfig } from '../platform/config/config.ts'
import { httpUrl } from '../platform/config/settings.ts'
import { publicUrlOf } from '../server/compose.ts'
import { type FeedEvent, type FeedOptions, readFeed } from './feed.ts'
import { optionOf } from './options.ts'
import { print, printError, printJson } from './output.ts'

export interface TailOptions {
  token: string
  from?: number
  url?: string
  json?: boolean
}

export function addEvents(program: Command) {
  const tail = program
    .command('events')
    .description('the event feed')
    .command('tail')
    .description('print events as they arrive, until interrupted; acknowledges nothing')
  feedOptions(tail, 'after the last acknowledged one').action(tailEvents)
}

/** The options of every command that reads a feed. `start` describes where it starts by default. */
export function feedOptions(command: Command, start: string) {
  return command
    .requiredOption('--token <token>', 'token with the scope events:read')
    .option(
      '--from <seq>',
      `first event to read (default: ${start})`,
      optionOf(wholeNumber(1, Number.MAX_SAFE_INTEGER))
    )
    .option(
      '--url <url>',
      'URL of the server (default: PUBLIC_URL, or the configured port of this machine)',
      optionOf(httpUrl)
    )
    .option('--json', 'print one JSON value per line')
}

async function tailEvents({ token, from, url, json }: TailOptions) {
  for await (const event of feedOf({ token, url, after: from && from - 1 }))
    if (json) printJson(event)
    else print(lineOf(event))
}

/** Reads the feed that the options name until the process is interrupted. */
export function feedOf({
  url,
  ...options
}: Pick<FeedOptions, 'token' | 'after' | 'onOpen'> & { url: string | undefined }) {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return readFeed({
    ...options,
    url: url ?? publicUrlOf(readConfig()),
    signal: stop.signal,
    onAway: printError
  })
}

function lineOf({ seq, created_at, event, id, data }: FeedEvent) {
  return `${String(seq).padStart(6)}  ${created_at}  ${event.padEnd(28)}  ${id}  ${data.session.id}  ${oneLine(data.session.title)}`
}
