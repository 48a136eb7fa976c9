import type { Command } from 'commander'
import { shortName } from '../contract/admin/user.ts'
import { redirectUri } from '../contract/oauth.ts'
import { lanProblem } from '../features/oauth/lan-redirects.ts'
import { createClient, deleteClient, listClients } from '../features/oauth/registration.ts'
import { withDatabase } from './context.ts'
import { addCommand, optionOf, optionsOf } from './options.ts'
import { CommandFailed, orFail, showDone, showList } from './output.ts'

export function addOAuthClients(program: Command) {
  const client = program.command('oauth-client').description('the OAuth clients that you register yourself')

  addCommand(client, 'create', 'create a client; its secret is printed once')
    .requiredOption('--name <name>', 'name, which users see when they are asked for access', optionOf(shortName))
    .requiredOption(
      '--redirect-uri <uri>',
      'address to which it gets its answers; may be repeated',
      optionsOf(redirectUri)
    )
    .option('--public', 'a client that cannot keep a secret, such as a program on a laptop')
    .action(create)
  addCommand(client, 'list', 'list the clients that were created here', 'one JSON value per line').action(list)
  addCommand(client, 'delete', 'delete a client, and end its connections to all users')
    .argument('<id>', 'id of the client')
    .action(remove)
}

interface Creation {
  name: string
  redirectUri: string[]
  public?: boolean
  json?: boolean
}

async function create({ name, redirectUri: redirectUris, public: isPublic = false, json }: Creation) {
  await withDatabase(async context => {
    for (const uri of redirectUris) {
      const problem = lanProblem(context.config, uri)
      if (problem !== undefined) throw new CommandFailed(`--redirect-uri ${uri}: ${problem}`)
    }
    const created = await createClient(context.database, { name, redirectUris, isPublic })
    const { client_id: id, client_secret: secret } = created
    const words =
      secret === undefined ? `${id}\nIt has no secret.` : `${id}\n${secret}\nKeep the secret: it is not shown again.`
    showDone(context, json, created, words)
  })
}

async function list({ json }: { json?: boolean }) {
  await withDatabase(async ({ database }) => {
    const clients = await listClients(database)
    showList(
      json,
      clients.map(client => (json ? { ...client } : { ...client, redirect_uris: client.redirect_uris.join(' ') }))
    )
  })
}

async function remove(id: string, { json }: { json?: boolean }) {
  await withDatabase(async context => {
    const absent = `There is no client ${id}; see: npm run -s parlance -- oauth-client list`
    const { ended } = await orFail(deleteClient(context.database, id), absent)
    showDone(context, json, { id, deleted: true, ended }, `Deleted ${id}, and ended ${ended} connections.`)
  })
}
