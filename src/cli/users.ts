import { type Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { listUsers, normalizeEmail } from '../accounts/lookup.ts'
import { createUser, findUser, type User, type UserChange, updateUser } from '../accounts/queries.ts'
import { clock } from '../compose.ts'
import { newId } from '../core/ids.ts'
import { userNamed, withDatabase } from './context.ts'
import { CommandFailed, show, showList, UsedWrongly } from './output.ts'

export function addUsers(program: Command) {
  const user = program.command('user').description('the people whose conversations are kept')

  user
    .command('create')
    .description('add a user')
    .requiredOption('--email <address>', 'e-mail address', emailAddress)
    .option('--name <name>', 'name', shortText)
    .option('--time-zone <zone>', 'IANA time zone, for due dates in words', timeZone, 'UTC')
    .option('--verified', 'the e-mail address is known to be theirs')
    .option('--json', 'one JSON value')
    .action(create)

  user.command('list').description('list the users').option('--json', 'one JSON value a line').action(list)

  user
    .command('update')
    .argument('<user>', 'id or e-mail address')
    .description('change a user')
    .option('--email <address>', 'e-mail address', emailAddress)
    .option('--name <name>', 'name', shortText)
    .option('--time-zone <zone>', 'IANA time zone', timeZone)
    .option('--verified', 'the e-mail address is known to be theirs')
    .addOption(new Option('--subscription <state>', 'whether the subscription is active').choices(['active', 'inactive']))
    .option('--json', 'one JSON value')
    .action(update)
}

interface CreateOptions {
  email: string
  name?: string
  timeZone: string
  verified?: boolean
  json?: boolean
}

async function create({ email, name, timeZone, verified, json }: CreateOptions) {
  await withDatabase(async ({ database: { db } }) => {
    const now = clock.now()
    const userId = newId('usr')
    const user = { name: name ?? null, email, emailVerifiedAt: verified ? now : null, timeZone, subscriptionActive: true, createdAt: now }
    if (!(await createUser(db, userId, user))) throw new CommandFailed(`Another user has the address ${email}`)
    const made = outline({ userId, ...user })
    show(json, made, `Created ${made.id} (${email}).`)
  })
}

async function list({ json }: { json?: boolean }) {
  await withDatabase(async ({ database: { db } }) => showList(json, (await listUsers(db)).map(outline)))
}

interface UpdateOptions {
  email?: string
  name?: string
  timeZone?: string
  verified?: boolean
  subscription?: 'active' | 'inactive'
  json?: boolean
}

async function update(idOrEmail: string, { email, name, timeZone, verified, subscription, json }: UpdateOptions) {
  const change: UserChange = {
    // A new address has yet to be verified.
    ...(email !== undefined && { email, emailVerifiedAt: null }),
    ...(name !== undefined && { name }),
    ...(timeZone !== undefined && { timeZone }),
    ...(verified && { emailVerifiedAt: clock.now() }),
    ...(subscription !== undefined && { subscriptionActive: subscription === 'active' })
  }
  if (Object.keys(change).length === 0) throw new UsedWrongly('Name something to change; see: user update --help')
  await withDatabase(async context => {
    const { db } = context.database
    const userId = await userNamed(context, idOrEmail)
    if (!(await updateUser(db, userId, change))) throw new CommandFailed(`Another user has the address ${email}`)
    const user = await findUser(db, userId)
    if (user) show(json, outline(user), `Changed ${userId}.`)
  })
}

function outline({ userId, name, email, emailVerifiedAt, timeZone, subscriptionActive, createdAt }: User) {
  return {
    id: userId,
    email,
    name,
    time_zone: timeZone,
    email_verified: emailVerifiedAt !== null,
    subscription_active: subscriptionActive,
    created_at: createdAt.toISOString()
  }
}

function emailAddress(text: string) {
  const email = normalizeEmail(text)
  if (!z.email().max(320).safeParse(email).success) throw new InvalidArgumentError('Send an e-mail address.')
  return email
}

function timeZone(text: string) {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    throw new InvalidArgumentError('Send an IANA time zone such as Europe/Berlin.')
  }
}

/** A name that a line of a list can show. */
export function shortText(text: string) {
  const trimmed = text.trim()
  if (trimmed === '' || [...trimmed].length > 100 || /\p{Cc}/u.test(trimmed)) throw new InvalidArgumentError('Send 1 to 100 characters.')
  return trimmed
}
