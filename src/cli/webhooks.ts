import type { Command } from 'commander'
import { z } from 'zod'
import { everyScope } from '../features/access/actor.ts'
import { listAttempts } from '../features/webhooks/delivery/operations.ts'
import { listWebhooks } from '../features/webhooks/operations.ts'
import { newSecret, signatureHeaders, signingKey } from '../features/webhooks/signature.ts'
import { withUser } from './context.ts'
import { feedOf, feedOptions, type TailOptions } from './events.ts'
import type { FeedEvent } from './feed.ts'
import { addOwnerCommand, type OwnerOptions, optionOf } from './options.ts'
import { orFail, printError, show, showList, UsedWrongly } from './output.ts'

const receiverUrl = z.url({ protocol: /^https?$/, error: 'a URL such as http://localhost:3000/hook' })

export function addWebhooks(program: Command) {
  const webhooks = program.command('webhooks').description('the webhooks of a user')
  addOwnerCommand(webhooks, 'list', 'list webhooks with their state', 'one JSON value per line').action(list)
  const ofAttempts = 'list the latest attempts of a webhook, newest first, with the beginning of each answer'
  addOwnerCommand(webhooks, 'attempts', ofAttempts, 'one JSON value per line')
    .argument('<id>', 'id of the webhook')
    .action(attempts)
  const listen = webhooks
    .command('listen')
    .description('post events to a receiver on your machine, signed like deliveries, until interrupted')
    .requiredOption(
      '--forward-to <url>',
      'URL of your receiver, such as http://localhost:3000/hook',
      optionOf(receiverUrl)
    )
    .option('--secret <secret>', 'secret that signs the events (default: a new one, which is printed)')
  feedOptions(listen, 'after the newest one').action(forward)
}

async function list({ user, json }: OwnerOptions) {
  await withUser(user, async (services, userId) => {
    const { webhooks } = await listWebhooks(services, everyScope(userId, 'command'))
    showList(json, webhooks)
  })
}

async function attempts(id: string, { user, json }: OwnerOptions) {
  await withUser(user, async (services, userId) => {
    const actor = everyScope(userId, 'command')
    showList(
      json,
      await orFail(
        listAttempts(services, actor, id),
        `The user has no webhook ${id}; see: npm run -s parlance -- webhooks list`
      )
    )
  })
}

async function forward({
  forwardTo,
  secret = newSecret(),
  token,
  from,
  url,
  json
}: TailOptions & { forwardTo: string; secret?: string }) {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret))
    throw new UsedWrongly('--secret: give a secret that begins with whsec_')
  // Standard output is for the events.
  const onOpen = () => printError(`Signing with ${secret}`)
  for await (const event of feedOf({ token, url, after: from === undefined ? 'latest' : from - 1, onOpen })) {
    const result = await post(forwardTo, secret, event)
    show(json, { id: event.id, seq: event.seq, event: event.event, ...result }, formatDelivery(event, result))
  }
}

interface Posted {
  /** Null when no answer came. */
  status: number | null
  duration_ms: number
}

async function post(receiver: string, secret: string, { seq: _, ...event }: FeedEvent): Promise<Posted> {
  const startedAt = performance.now()
  const body = JSON.stringify(event)
  const signed = signatureHeaders({
    id: event.id,
    timestamp: Math.floor(Date.now() / 1_000),
    body,
    key: signingKey(secret)
  })
  const answer = await fetch(receiver, {
    method: 'POST',
    headers: { ...signed, 'content-type': 'application/json', 'user-agent': 'Parlance-Webhooks/1.0' },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(15_000)
  }).catch(() => undefined)
  await answer?.body?.cancel()
  return { status: answer?.status ?? null, duration_ms: Math.round(performance.now() - startedAt) }
}

function formatDelivery({ seq, event, id }: FeedEvent, { status, duration_ms }: Posted) {
  return `${String(seq).padStart(6)}  ${event.padEnd(28)}  ${id}  ${status ?? 'no answer'}  ${duration_ms} ms`
}
