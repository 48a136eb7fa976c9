import { type Command, InvalidArgumentError, Option } from 'commander'
import { callerId, shortName, timeZone, type UserCreate } from '../contract/admin/user.ts'
import { emailAddress } from '../contract/email.ts'
import { QUOTA_NAMES, QuotaChange } from '../contract/quotas.ts'
import { RETENTION_NAMES, RetentionChange } from '../contract/retention.ts'
import { everyScope } from '../features/access/actor.ts'
import { selectUsers } from '../features/access/lookup.ts'
import { inviteUser } from '../features/accounts/invite-user.ts'
import { createUser, updateUser } from '../features/accounts/operations.ts'
import { findMiscounted, recount } from '../features/accounts/recount.ts'
import { toUsers } from '../features/accounts/users.ts'
import { unlinkProvider } from '../features/sign-in/oidc/operations.ts'
import { createSignInUrl } from '../features/sign-in/sign-in.ts'
import { publicUrlOf } from '../server/compose.ts'
import { ANOTHER_KEY, isKnownKey } from '../server/secret-key.ts'
import { withDatabase, withJobs, withUser } from './context.ts'
import { addUserDeletion } from './delete-user.ts'
import { addCommand, type OwnerOptions, optionOf, yesOrNo } from './options.ts'
import { CommandFailed, orFail, showDone, showList, UsedWrongly } from './output.ts'

export function addUsers(program: Command) {
  const user = program.command('user').description('the users of the server')

  addCommand(user, 'create', 'add a user')
    .requiredOption('--email <address>', 'e-mail address', optionOf(emailAddress))
    .option('--name <name>', 'name', optionOf(shortName))
    .option('--time-zone <zone>', 'IANA time zone, for due dates in words', optionOf(timeZone), 'UTC')
    .option('--verified', 'mark the e-mail address as verified')
    .option('--caller-id <number>', 'verified number that receives their inbound calls', callerNumber)
    .option('--operator <yes|no>', OPERATOR_HELP, optionOf(yesOrNo))
    .action(create)
  addCommand(user, 'invite', 'add a user, and mail them a link that signs them in')
    .requiredOption('--email <address>', 'e-mail address', optionOf(emailAddress))
    .option('--name <name>', 'name', optionOf(shortName))
    .action(invite)
  addCommand(user, 'list', 'list the users', 'one JSON value per line')
    .option('--search <text>', 'only users whose name or address contains the text', optionOf(shortName))
    .action(list)
  addUserDeletion(user)
  addCommand(user, 'sign-in-link', 'print a link that signs a browser in to the console, once')
    .requiredOption('--user <user>', 'id or e-mail address')
    .action(signInLink)
  addCommand(user, 'update', 'change a user')
    .argument('<user>', 'id or e-mail address')
    .option('--email <address>', 'e-mail address', optionOf(emailAddress))
    .option('--name <name>', 'name', optionOf(shortName))
    .option('--time-zone <zone>', 'IANA time zone', optionOf(timeZone))
    .option('--verified', 'mark the e-mail address as verified')
    .addOption(
      new Option('--subscription <state>', 'whether the subscription is active').choices(['active', 'inactive'])
    )
    .option('--caller-id <number>', 'verified number that receives their inbound calls, or none', callerNumber)
    .option('--quota <name=limit>', QUOTA_HELP, quotaChange)
    .option('--retention <name=days>', RETENTION_HELP, retentionChange)
    .option('--operator <yes|no>', OPERATOR_HELP, optionOf(yesOrNo))
    .action(update)
  addCommand(user, 'unlink-provider', 'let the e-mail address decide again who signs in as a user at the provider')
    .requiredOption('--user <user>', 'id or e-mail address')
    .action(unlink)
  addCommand(
    user,
    'recount',
    'count again what the quotas of all users count, after doctor found a wrong count'
  ).action(countAgain)
}

async function create({ json, ...options }: UserArguments) {
  await withDatabase(async context => {
    const made = await orFail(createUser(context.database, sentOf(options)))
    showDone(context, json, made, `Created ${made.id} (${made.email}).`)
  })
}

async function invite({ email, name, json }: UserArguments & { email: string }) {
  await withJobs(async context => {
    const services = { ...context.database, jobs: context.jobs }
    const user = await orFail(inviteUser(services, { email, ...(name !== undefined && { name }) }))
    showDone(context, json, user, `Created ${user.id}. A running server mails the link to ${email}.`)
  })
}

async function list({ json, search }: { json?: boolean; search?: string }) {
  await withDatabase(async ({ database }) => {
    const users = await toUsers(database, await selectUsers(database.db, '', undefined, search))
    // A table has no room for objects.
    showList(json, json ? users : users.map(({ quotas: _, retention: __, ...user }) => user))
  })
}

async function update(idOrEmail: string, { json, ...options }: UserArguments) {
  const sent = sentOf(options)
  if (Object.keys(sent).length === 0)
    throw new UsedWrongly('Name something to change; see: npm run -s parlance -- user update --help')
  await withUser(idOrEmail, async (services, userId, context) => {
    const user = await orFail(updateUser(services, everyScope(userId, 'command'), sent))
    showDone(context, json, user, `Changed ${userId}.`)
  })
}

async function countAgain({ json }: { json?: boolean }) {
  await withDatabase(async context => {
    const { db } = context.database
    const userIds = await findMiscounted(db)
    for (const userId of userIds) await recount(db, userId)
    showDone(context, json, { recounted: userIds.length }, `Corrected the counts of ${userIds.length} users.`)
  })
}

async function signInLink({ user, json }: OwnerOptions) {
  await withUser(user, async (database, userId, context) => {
    const { secretKey } = context.config
    // A server with another key would refuse the link.
    if ((await isKnownKey(database.db, secretKey)) === false) throw new CommandFailed(ANOTHER_KEY)
    const services = { ...database, publicUrl: publicUrlOf(context.config), secretKey }
    const link = await orFail(createSignInUrl(services, everyScope(userId, 'command')))
    showDone(context, json, link, `${link.url}\nIt works once, in any browser, until ${link.expires_at}.`)
  })
}

async function unlink({ user, json }: OwnerOptions) {
  await withUser(user, async (database, userId, context) => {
    const { unlinked } = await orFail(unlinkProvider(database, everyScope(userId, 'command')))
    showDone(context, json, { id: userId, unlinked }, `Unlinked ${unlinked} accounts at providers from ${userId}.`)
  })
}

interface UserArguments {
  email?: string
  name?: string
  timeZone?: string
  verified?: boolean
  subscription?: 'active' | 'inactive'
  callerId?: string
  quota?: QuotaChange
  retention?: RetentionChange
  operator?: boolean
  json?: boolean
}

/** The options as a body of the admin API. */
function sentOf({
  email,
  name,
  timeZone,
  verified,
  subscription,
  callerId,
  quota,
  retention,
  operator
}: Omit<UserArguments, 'json'>): UserCreate {
  return {
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(verified && { email_verified: true }),
    ...(subscription !== undefined && { subscription_active: subscription === 'active' }),
    ...(callerId !== undefined && { verified_caller_id: callerId === 'none' ? null : callerId }),
    ...(quota !== undefined && { quotas: quota }),
    ...(retention !== undefined && { retention }),
    ...(operator !== undefined && { operator })
  }
}

const OPERATOR_HELP = 'whether the user sees the pages for operators in the console'
const QUOTA_HELP = `limit of one of ${QUOTA_NAMES.join(', ')}: a number, none, or default; repeat it for several`
const RETENTION_HELP = `own shorter period, one of ${RETENTION_NAMES.join(', ')}: days, or default; repeat it for both`
const WORDS: Record<string, number | null> = { none: 0, default: null }

/** Adds `folders=200` to the options before it. */
function quotaChange(text: string, earlier: QuotaChange = {}): QuotaChange {
  const [name = '', limit = ''] = text.split('=')
  const value = Object.hasOwn(WORDS, limit) ? WORDS[limit] : /^\d+$/.test(limit) ? Number(limit) : undefined
  const { data } = QuotaChange.strict().safeParse({ [name]: value })
  if (!data || value === undefined)
    throw new InvalidArgumentError(
      `Give one of ${QUOTA_NAMES.join(', ')} with a whole number, none or default, such as folders=200.`
    )
  return { ...earlier, ...data }
}

/** Adds `audio_days=7` to the options before it. */
function retentionChange(text: string, earlier: RetentionChange = {}): RetentionChange {
  const [name = '', days = ''] = text.split('=')
  const value = days === 'default' ? null : /^\d+$/.test(days) ? Number(days) : undefined
  const { data } = RetentionChange.strict().safeParse({ [name]: value })
  if (!data || value === undefined)
    throw new InvalidArgumentError(
      `Give one of ${RETENTION_NAMES.join(', ')} with a number of days or default, such as audio_days=7.`
    )
  return { ...earlier, ...data }
}

function callerNumber(text: string) {
  return text === 'none' ? text : optionOf(callerId)(text)
}
