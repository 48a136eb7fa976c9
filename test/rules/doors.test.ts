import { expect, test } from 'vitest'
import { files, importsOf, type Node, nodesOf, read } from './source.ts'

/** Files of HTTP: a handler parses, calls one operation and presents what it returns. */
const HANDLERS = files.filter(
  file => /(?:^|[/-])(?:routes|plugin)\.ts$/.test(file) && !file.startsWith('interfaces/site/')
)

test('a handler reads no database: it has no SQL, no db, and imports nothing of db/', () => {
  expect(HANDLERS.filter(file => faultsOf(read(file)).length > 0)).toEqual([])
})

test.each([
  ["import { sql } from '../db/drizzle.ts'", ['imports ../db/drizzle.ts', 'sql']],
  ['const handler = ({ db }) => listFolders(db)', ['db', 'db']],
  ['services.db.query(sql`select 1`)', ['db', 'sql']],
  ['app.get(path, routes.listFolders, ({ actor }) => listFolders(services, actor))', []]
])('of %s the faults are %j', (source, faults) => {
  expect([...new Set(faultsOf(source))]).toEqual([...new Set(faults)])
})

/** The interfaces and the command, whose other files are no handlers. */
const DOORS = files.filter(file => /^(?:interfaces|cli)\//.test(file))

test('no file of interfaces/ and cli/ holds SQL', () => {
  expect(DOORS.length).toBeGreaterThan(50)
  expect(DOORS.filter(file => holdsSql(read(file)))).toEqual([])
})

test.each([
  ["import { sql } from '../db/drizzle.ts'", true],
  ["await pool.query('select now()')", true],
  ['await db.execute(statement)', true],
  ['db.select().from(users)', true],
  ['const text = `delete from users`', true],
  ['await listUsers(services, { limit: 50 })', false],
  ["program.command('delete').description('delete a user for good')", false]
])('whether %s holds SQL: %s', (source, expected) => {
  expect(holdsSql(source)).toBe(expected)
})

/** A statement as text, the query builder, or a call that runs either. */
function holdsSql(source: string) {
  return (
    importsOf(source).some(({ from }) => /\/db\/(?:drizzle|matches|schema\/\w+)\.ts$/.test(from)) ||
    /\.(?:query|execute|from)\(/.test(source.replace(/\b(?:Array|Buffer|Readable|Object)\.from\(/g, '')) ||
    nodesOf(source).some(isStatement)
  )
}

function isStatement(node: Node) {
  const text = node.type === 'TemplateElement' ? Object(node.value).cooked : node.value
  return (
    typeof text === 'string' &&
    /^\s*(?:select\b(?=.*\bfrom\b)|insert into|update \w+ set|delete from|with \w+ as \()/is.test(text)
  )
}

function faultsOf(source: string) {
  const imported = importsOf(source).filter(({ from }) => /\/db\//.test(from))
  return [...imported.map(({ from }) => `imports ${from}`), ...nodesOf(source).flatMap(namesOfDatabase)]
}

function namesOfDatabase({ type, name }: Node) {
  return type === 'Identifier' && (name === 'db' || name === 'sql') ? [String(name)] : []
}
