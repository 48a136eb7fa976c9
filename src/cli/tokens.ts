import { type Command, InvalidArgumentError } from 'commander'
import { everyScope } from '../accounts/actor.ts'
import { createToken } from '../accounts/operations.ts'
import {
  findLastUses,
  findTokenOwner,
  listAllTokens,
  selectTokens,
  setRevoked,
  type Token
} from '../accounts/tokens.ts'
import { shortName } from '../contract/admin/user.ts'
import { LIMITS } from '../contract/limits.ts'
import { ALL_SCOPES, isScope, type Scope } from '../contract/scopes.ts'
import { userNamed, withDatabase, withUser } from './context.ts'
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
    const rows = user === undefined ? await listAllTokens(db) : await selectTokens(db, await userNamed(context, user))
    const ids = rows.map(({ tokenId }) => tokenId)
    const lastUses = await findLastUses(db, ids)
    const outlines = rows.map(token => outlineOf(token, lastUses.get(token.tokenId) ?? null))
    showList(json, json ? outlines : outlines.map(inColumns))
  })
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

function outlineOf(token: Token, lastUsedAt: string | null) {
  const { tokenId, userId, name, scopes, hint, createdAt, expiresAt, revokedAt } = token
  return {
    id: tokenId,
    user_id: userId,
    name,
    token: `${hint}…`,
    scopes: scopes.join(','),
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    last_used_at: lastUsedAt,
    revoked_at: revokedAt?.toISOString() ?? null
  }
}

function inColumns(outline: ReturnType<typeof outlineOf>) {
  return { ...outline, scopes: outline.scopes === ALL_SCOPES.join(',') ? 'all' : outline.scopes }
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
