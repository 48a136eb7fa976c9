import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { reencryptSecrets } from '../features/webhooks/stored-secrets.ts'
import { replaceKey } from '../server/secret-key.ts'
import { withDatabase } from './context.ts'
import { addCommand } from './options.ts'
import { CommandFailed, showDone } from './output.ts'

export function addSecretKey(program: Command) {
  const secretKey = program.command('secret-key').description('the key that encrypts secrets and signs links')
  addCommand(secretKey, 'accept', 'accept the current SECRET_KEY for the database; stop the servers first')
    .option(
      '--former <file>',
      'file with the former key, or - for standard input; encrypts webhook secrets and headers with the current key'
    )
    .action(accept)
}

async function accept({ former, json }: { former?: string; json?: boolean }) {
  const formerKey = former === undefined ? undefined : readKey(former)
  await withDatabase(async context => {
    const { secretKey } = context.config
    const { db, clock } = context.database
    if (!secretKey)
      throw new CommandFailed(
        'There is no key in DATA_DIR/secret.key; start the server, which creates one, then accept it'
      )
    const done = await db.transaction(async tx => {
      await replaceKey(tx, secretKey, clock.now())
      return await reencryptSecrets(tx, secretKey, formerKey)
    })
    showDone(context, json, done, words(done))
  })
}

function readKey(file: string) {
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file, 'utf8').trim()
  } catch (error) {
    throw new CommandFailed(`--former: ${file} cannot be read (${error instanceof Error ? error.message : error})`)
  }
}

function words(done: Awaited<ReturnType<typeof reencryptSecrets>>) {
  const accepted = `SECRET_KEY is accepted. Webhook secrets encrypted with it: ${done.webhooks}.`
  const secrets = `Webhooks that need a new secret: ${done.unreadable}. Their owners send POST /v1/webhooks/{id}/rotate-secret, or you accept the key again with --former.`
  const headers = `Webhooks that need their headers again: ${done.unreadable_headers}. Their owners send PATCH /v1/webhooks/{id} with headers, or you accept the key again with --former.`
  return [accepted, ...(done.unreadable > 0 ? [secrets] : []), ...(done.unreadable_headers > 0 ? [headers] : [])].join(
    ' '
  )
}
