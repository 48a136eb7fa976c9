import { expect, test } from 'vitest'
import { files, importsOf, type Node, nodesOf, read } from './source.ts'

/** Files of HTTP: a handler parses, calls one operation and presents what it returns. */
const HANDLERS = files.filter(file => /(?:^|[/-])(?:routes|plugin)\.ts$/.test(file) && !file.startsWith('web/'))

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

function faultsOf(source: string) {
  const imported = importsOf(source).filter(({ from }) => /\/db\//.test(from))
  return [...imported.map(({ from }) => `imports ${from}`), ...nodesOf(source).flatMap(namesOfDatabase)]
}

function namesOfDatabase({ type, name }: Node) {
  return type === 'Identifier' && (name === 'db' || name === 'sql') ? [String(name)] : []
}
