import { getTableName, is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import * as schema from '../../src/platform/db/schema/index.ts'
import { files, isNode, type Node, nodesOf, read } from './source.ts'

// A sharded database sends a statement to one node when the owner of every table in it is a parameter: `f.user_id = ${userId}`. An owner that
// comes from another table, as in `f.user_id = s.user_id`, is not enough inside a subselect, and says less to the reader.
// With `user_id = any(${userIds})` it sends the statement to the nodes of these owners.

/** Statements for several owners, by the reason. */
const FOR_SEVERAL_OWNERS: Record<string, string[]> = {
  'the operator lists or finds users and tokens': [
    'features/access/lookup.ts: findCounted',
    'features/access/lookup.ts: findUserId',
    'features/access/lookup.ts: selectUsers',
    'features/oauth/grants.ts: selectGrantsOf',
    'features/access/tokens.ts: findTokenOwner',
    'features/access/tokens.ts: selectAllTokens',
    'features/ingest/retry-failed.ts: retryFailed',
    'features/ingest/retry-failed.ts: selectFailed'
  ],
  'one of several owners, or all, as its caller says': ['features/accounts/recount.ts: countsOf'],
  'one PostgreSQL admits several requests at once': ['features/access/count-requests.ts: countValidRequests'],
  'recipients are owners too': [
    'features/deletions/delete-user.ts: endInvitesTo',
    'features/deletions/erase-user.ts: leaveShares',
    'features/sharing/claim.ts: findKnownInvites'
  ],
  'background work goes over all owners': [
    'features/oauth/grants.ts: removeOldGrants',
    'features/access/tokens.ts: listExpiring',
    'features/access/tokens.ts: removeOldTokens',
    'features/deletions/ledger.ts: openLedger',
    'features/deletions/old-rows.ts: removeOldRows',
    'features/deletions/retention.ts: usersWithPeriods',
    'features/deletions/unshared-guests.ts: selectGuests',
    'features/events/arrivals.ts: listHeads',
    'features/events/remove-old.ts: removeOldEvents',
    'features/events/remove-old.ts: removeOldTexts',
    'features/events/remove-old.ts: removeOldTombstones',
    'features/exports/remove-old.ts: removeOldExports',
    'features/ingest/uploads/leftovers.ts: listExpired',
    'features/ingest/reindex.ts: lookAt',
    'features/ingest/processing-health.ts: countProcessing',
    'features/ingest/retry.ts: listProcessing',
    'features/ingest/vector-indexes.ts: buildVectorIndexes',
    'features/people/match-people.ts: matchPeople',
    'features/sharing/remove-old.ts: removeOldShares',
    'features/webhooks/delivery/health.ts: findFailing',
    'features/webhooks/delivery/claim.ts: isAnyDue',
    'features/webhooks/delivery/claim.ts: listDueOwners',
    'features/webhooks/delivery/leases.ts: listExpiredOwners',
    'features/webhooks/delivery/leases.ts: listLateOwners',
    'features/webhooks/stored-secrets.ts: webhooksIn'
  ],
  'metrics count for all owners': [
    'features/webhooks/delivery/health.ts: DELIVERIES',
    'server/telemetry/database-statements.ts: EMBEDDINGS',
    'server/telemetry/database-statements.ts: FEED'
  ],
  'a vector index is only used by a statement that has its owner as a literal': [
    'features/search/similarities.ts: listNearest'
  ]
}

/** Whole on every node: they lead from a secret or an address to its owner. */
const REFERENCE_TABLES = ['share_secrets', 'token_owners', 'user_emails', 'user_identities']

/** The tables that are sharded, with the key of their owner. */
const sharded = Object.entries(schema).flatMap(([identifier, table]) => {
  if (!is(table, PgTable) || REFERENCE_TABLES.includes(getTableName(table))) return []
  const key = 'userId' in table ? 'userId' : 'recipientId' in table ? 'recipientId' : undefined
  return key
    ? [{ identifier, name: getTableName(table) as string, key, column: key === 'userId' ? 'user_id' : 'recipient_id' }]
    : []
})
const keys = new Map(sharded.map(({ identifier, key }) => [identifier, key]))
const columns = new Map(sharded.map(({ name, column }) => [name, column]))

/** The names of parameters that are the id of an owner. */
const OWNER = '(?:userId|ownerId|recipientId)'
/** A table as a statement names it; in some it is a parameter of the function. */
const TABLE = String.raw`\w+|\$\{(?:table|sql\.raw\(name\))\}`
const NO_ALIAS =
  /^(where|on|set|using|join|left|inner|cross|order|limit|group|for|values|select|union|returning|offset|do)$/

const sources = files.filter(file => !file.startsWith('platform/db/')).map(file => ({ file, source: read(file) }))

test('every statement compares the owner of each table with a parameter, with the exceptions of the table', () => {
  expect(sharded.length).toBeGreaterThan(25)
  const found = sources.flatMap(({ file, source }) =>
    [...statementsOf(source).filter(lacksOwner), ...builderCallsOf(source).filter(lacksOwner)].map(({ node }) =>
      placeOf(file, source, node)
    )
  )
  expect([...new Set(found)].toSorted()).toEqual(Object.values(FOR_SEVERAL_OWNERS).flat().toSorted())
})

// A sharded database collects the rows of such a WITH on one node, which stops every owner while another node is down.
test('no statement inserts in a WITH', () => {
  const found = sources.flatMap(({ file, source }) =>
    statementsOf(source)
      .filter(({ text }) => /\bas (?:materialized )?\(\s*insert\b/.test(text))
      .map(({ node }) => placeOf(file, source, node))
  )
  expect([...new Set(found)].toSorted()).toEqual([])
})

// A sharded database refuses functions there that are not immutable.
test('no statement asks for the time in RETURNING', () => {
  const found = sources.flatMap(({ file, source }) =>
    statementsOf(source)
      .filter(({ text }) => /\breturning\b[^)]*\b(?:now|clock_timestamp)\(/.test(text))
      .map(({ node }) => placeOf(file, source, node))
  )
  expect([...new Set(found)].toSorted()).toEqual([])
})

// The sum of a timestamptz and an interval is not immutable, for it depends on the time zone. A sharded database refuses such functions there.
test('no statement on a sharded table adds an interval to a column of EXCLUDED', () => {
  const found = sources.filter(({ source }) => /\bexcluded\.\w+ [-+] interval\b/.test(source)).map(({ file }) => file)
  // The counters of requests are on the coordinator.
  expect(found).toEqual(['features/access/count-requests.ts'])
})

interface Statement {
  node: Node
  text: string
  /** A table that a call of the query builder names; SQL names its own. */
  table?: string
}

/** Every template and string with SQL. The text of a template includes the templates inside it. */
function statementsOf(source: string): Statement[] {
  const nodes = nodesOf(source)
  const templates = nodes.filter(isSql)
  const quasis = templates.map(({ quasi }) => quasi)
  const outermost = templates.filter(
    one => !templates.some(other => other !== one && other.start <= one.start && one.end <= other.end)
  )
  const texts = [
    ...outermost.map(node => ({ node, text: textOf(node.quasi as Node, source) })),
    ...nodes
      .filter(node => node.type === 'TemplateLiteral' && !quasis.includes(node))
      .map(node => ({ node, text: textOf(node, source) })),
    ...nodes.filter(({ value }) => typeof value === 'string').map(node => ({ node, text: String(node.value) }))
  ]
  return texts.filter(({ node, text }) => isSql(node) || /^\s*(select|insert|update|delete|with)\s/.test(text))
}

function isSql(node: Node) {
  return node.type === 'TaggedTemplateExpression' && isNode(node.tag) && node.tag.name === 'sql'
}

function textOf(template: Node, source: string): string {
  const expressions = template.expressions as Node[]
  const inserted = expressions.map(expression => {
    const inside = templatesIn(expression)
    if (inside.length === 0) return `\${${source.slice(expression.start, expression.end)}}`
    return inside.map(one => textOf(one.quasi as Node, source)).join(' ')
  })
  const quasis = template.quasis as { value: { cooked: string } }[]
  return quasis.map(({ value }, at) => `${value.cooked}${inserted[at] ?? ''}`).join('')
}

/** The templates in an expression, without those inside them. */
function templatesIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(templatesIn)
  if (!isNode(value)) return []
  return isSql(value) ? [value] : Object.values(value).flatMap(templatesIn)
}

/** The calls of the query builder that name a table, each with the whole statement. */
function builderCallsOf(source: string): Statement[] {
  const nodes = nodesOf(source)
  return nodes.flatMap(node => {
    const { callee, arguments: [table] = [] } = node as {
      callee?: { property?: { name?: string } }
      arguments?: Node[]
    } & Node
    if (
      !/^(from|update|delete|insert|leftJoin|innerJoin)$/.test(callee?.property?.name ?? '') ||
      table?.type !== 'Identifier'
    )
      return []
    const identifier = String(table.name)
    if (!keys.has(identifier) && identifier !== 'table') return []
    const [whole = node] = nodes.filter(({ type, start }) => type === 'CallExpression' && start === node.start)
    return [{ node, text: withConditions(source.slice(whole.start, whole.end), source, nodes), table: identifier }]
  })
}

/** The text with the declarations of the conditions that it names. */
function withConditions(text: string, source: string, nodes: Node[]) {
  const used = new Set(text.match(/\w+/g))
  const declared = nodes.filter(
    ({ type, id }) => /^(FunctionDeclaration|VariableDeclarator)$/.test(type) && isNode(id) && used.has(String(id.name))
  )
  const declarations = declared.map(({ start, end }) => source.slice(start, end))
  return [
    text,
    ...declarations.filter(one => /^(function \w+\([^{]*\{\s*return|\w+ =) (?:and|matches)\(/.test(one))
  ].join('\n')
}

function lacksOwner({ text, table }: Statement) {
  if (table === undefined) return lacksOwnerInSql(text)
  const key = keys.get(table) ?? 'userId'
  const matches = `matches\\(${table}, \\{\\s+(?:${key}: ${OWNER}|${key})\\b`
  return !new RegExp(
    `${matches}|eq\\(${table}\\.${key}, (?:${OWNER}|sql\\.placeholder\\('userId'\\))\\)|\\.values\\(.*[{,]\\s+(?:${key}|userId: ownerId)\\b`,
    's'
  ).test(text)
}

function lacksOwnerInSql(text: string) {
  const named = text.matchAll(
    new RegExp(`\\b(from|join|using|update|into)\\s+(${TABLE})(?:\\s+(?:as\\s+)?(\\w+))?`, 'g')
  )
  const needed: string[] = []
  for (const [, verb, table = '', alias = ''] of named) {
    const column = columns.get(table) ?? (table.startsWith('$') ? 'user_id' : undefined)
    if (column === undefined) continue
    if (verb === 'into') {
      const columnsFrom = text.slice(text.indexOf(`into ${table}`))
      if (
        !new RegExp(
          `^[^(]*\\(${column}\\b[^)]*\\)\\s*(values\\s*\\(|select\\s+)(\\$\\{${OWNER}\\}|(\\w+\\.)?user_id\\b)`
        ).test(columnsFrom)
      )
        return true
    } else needed.push(`${NO_ALIAS.test(alias) || alias === '' ? table : alias}.${column}`)
  }
  const given = [
    ...text.matchAll(
      new RegExp(
        `(\\w+\\.)?\\b(user_id|recipient_id) = (?:\\$\\{${OWNER}\\}|any\\(\\$\\{userIds\\}::text\\[\\]\\))`,
        'g'
      )
    )
  ]
  // A condition without an alias holds for any table, so those with one are used up first.
  for (const [, alias = '', column = ''] of given.toSorted(([, a = ''], [, b = '']) => b.length - a.length)) {
    const at = needed.findIndex(one => (alias === '' ? one.endsWith(`.${column}`) : one === `${alias}${column}`))
    if (at >= 0) needed.splice(at, 1)
  }
  return needed.length > 0
}

/** "file: declaration", of the outermost declaration around a node. */
function placeOf(file: string, source: string, { start, end }: Node) {
  const declared = nodesOf(source).find(
    node => /^(FunctionDeclaration|VariableDeclarator)$/.test(node.type) && node.start <= start && end <= node.end
  )
  return `${file}: ${isNode(declared?.id) ? String(declared.id.name) : ''}`
}
