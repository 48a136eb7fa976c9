import { type Command, InvalidArgumentError } from 'commander'
import { shortName } from '../contract/admin/user.ts'
import { LIMITS } from '../contract/limits.ts'
import { ALL_SCOPES, isScope, type Scope } from '../contract/scopes.ts'
import { everyScope } from '../features/access/actor.ts'
import { findTokenOwner, setRevoked } from '../features/access/tokens.ts'
import { createToken, listAllTokens, listTokens } from '../features/accounts/operations.ts'
import { type Context, userNamed, withDatabase, withUser } from './context.ts'
import { addCommand, optionOf } from './options.ts'
import { CommandFailed, showDone, showList } from './output.ts'

export function addTokens(program: Command) {
  const token = program.command('token').description('the tokens of the API')

  addCommand(token, 'create', 'create a token, which is printed once')
    .requiredOption('--user <user>', 'id or e-mail address')
    .requiredOption('--name <name>', 'name, such as the program that uses it', optionOf(shortName))
    .requiredOption('--scopes <scopes>', 'all, or scopes separated by commas', scopeList)
    .option('--expires-in <time>', 'lifetime, such as 12h, 30d or 8w (default: 1y)', lifetime)
    .action(create)
  addCommand(token, 'list', 'list tokens, without their secrets', 'one JSON value per line')
    .option('--user <user>', 'id or e-mail address (default: every user)')
    .action(list)
  addCommand(token, 'revoke', 'revoke a token; its next request is refused')
    .argument('<id>', 'id of the token')
    .action(revoke)
}

interface Creation {
  user: string
  name: string
  scopes: Scope[]
  expiresIn?: number
  json?: boolean
}

async function create({ user, name, scopes, expiresIn = LIMITS.tokenSeconds.max, json }: Creation) {
  await withUser(user, async (services, userId, context) => {
    const sent = { name, scopes, expires_in: expiresIn }
    const { id, token, expires_at } = await createToken(services, everyScope(userId, 'command'), sent)
    const words = `${token}\nKeep it: it is not shown again. Its id is ${id}; it expires ${expires_at}.`
    showDone(context, json, { id, token, expires_at }, words)
  })
}

async function list({ user, json }: { user?: string; json?: boolean }) {
  await withDatabase(async context => {
    const { db } = context.database
    const rows = user === undefined ? (await listAllTokens({ db })).tokens : await listTokensOf(context, user)
    showList(json, rows.map(json ? inJson : inColumns))
  })
}

async function listTokensOf(context: Context, user: string) {
  const userId = await userNamed(context, user)
  const { tokens } = await listTokens(context.database, everyScope(userId, 'command'))
  return tokens.map(token => ({ ...token, user_id: userId }))
}

async function revoke(id: string, { json }: { json?: boolean }) {
  await withDatabase(async context => {
    const { db, clock } = context.database
    const userId = await findTokenOwner(db, id)
    if (!userId) throw new CommandFailed(`There is no token ${id}; see: npm run -s parlance -- token list`)
    const now = clock.now()
    const revokedAt = (await setRevoked(db, userId, id, now)) ?? now
    showDone(context, json, { id, revoked: true }, revokedAt < now ? `${id} was revoked before.` : `Revoked ${id}.`)
  })
}

type ListedToken = Awaited<ReturnType<typeof listAllTokens>>['tokens'][number]

function inJson({ id, user_id, name, scopes, hint, created_at, expires_at, last_used_at, revoked_at }: ListedToken) {
  const token = `${hint}…`
  return { id, user_id, name, token, scopes: scopes.join(','), created_at, expires_at, last_used_at, revoked_at }
}

function inColumns(token: ListedToken) {
  return { ...inJson(token), scopes: token.scopes.length === ALL_SCOPES.length ? 'all' : token.scopes.join(',') }
}

const SECONDS: Record<string, number> = { m: 60, h: 3_600, d: 86_400, w: 7 * 86_400, y: 365 * 86_400 }

/** Parses a duration such as `30d` into seconds. */
function lifetime(text: string) {
  const [, count = '', unit = ''] = /^(\d{1,9})([mhdwy])$/.exec(text) ?? []
  const seconds = Number(count) * (SECONDS[unit] ?? 0)
  const { min, max } = LIMITS.tokenSeconds
  if (seconds >= min && seconds <= max) return seconds
  throw new InvalidArgumentError(
    'Give a number with its unit, from 1m to 1y: m for minutes, h hours, d days, w weeks, y a year.'
  )
}

function scopeList(text: string): Scope[] {
  if (text === 'all') return ALL_SCOPES
  const names = text.split(',').map(name => name.trim())
  const unknown = names.find(name => !isScope(name))
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no scope "${unknown}"; give all, or of: ${ALL_SCOPES.join(', ')}.`)
  return [...new Set(names.filter(isScope))]
}
