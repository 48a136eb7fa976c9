import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { clock } from '../compose.ts'
import { replaceKey } from '../secret-key/check.ts'
import { reencryptSecrets } from '../webhooks/reencrypt.ts'
import { withDatabase } from './context.ts'
import { CommandFailed, show } from './output.ts'

export function addSecretKey(program: Command) {
  const secretKey = program.command('secret-key').description('the key that secrets are encrypted and links are signed with')
  secretKey
    .command('accept')
    .description('use the database with the present SECRET_KEY from now on; stop the servers first')
    .option('--former <file>', 'file with the key before, or - for standard input; secrets of webhooks are encrypted anew')
    .option('--json', 'one JSON value')
    .action(accept)
}

async function accept({ former, json }: { former?: string; json?: boolean }) {
  const formerKey = former === undefined ? undefined : readKey(former)
  await withDatabase(async ({ config: { secretKey }, database }) => {
    if (!secretKey) throw new CommandFailed('There is no key in DATA_DIR/secret.key; start the server, which makes one, then accept it')
    const done = await database.db.transaction(async tx => {
      await replaceKey(tx, secretKey, clock.now())
      return await reencryptSecrets(tx, secretKey, formerKey)
    })
    show(json, done, words(done))
  })
}

function readKey(file: string) {
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file, 'utf8').trim()
  } catch (fault) {
    throw new CommandFailed(`--former: ${file} cannot be read (${fault instanceof Error ? fault.message : fault})`)
  }
}

function words({ webhooks, unreadable }: Awaited<ReturnType<typeof reencryptSecrets>>) {
  const accepted = `SECRET_KEY is accepted; ${webhooks} secrets of webhooks are encrypted anew.`
  if (unreadable === 0) return accepted
  return `${accepted} ${unreadable} webhooks need a new secret: POST /v1/webhooks/{id}/rotate-secret by their owners, or accept again with --former.`
}
