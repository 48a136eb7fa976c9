import { expect, test } from 'vitest'
import { files, isNode, type Node, nodesOf, read } from './source.ts'

test('the name of an export or of a type is declared in one file', () => {
  expect(findTwins(Object.fromEntries(files.map(file => [file, read(file)])))).toEqual([])
})

test.each([
  ['export const a = 1', 'const a = 2'],
  ['function a() {}', 'export function a() {}'],
  ['export class a {}', 'export class a {}'],
  ['interface a {}', 'type a = string'],
  ['type a = string', 'const b = 1, a = 2']
])('%s and %s are twins', (first, second) => {
  expect(findTwins({ first, second })).toEqual(['a: first, second'])
})

test.each([
  ['const a = 1', 'function a() {}'],
  ['export const a = 1', 'function b() { const a = 1 }'],
  ['export const a = 1', "import { a } from './a.ts'"],
  ['export const a = 1; export type a = number', 'export const b = 1']
])('%s and %s are not', (first, second) => {
  expect(findTwins({ first, second })).toEqual([])
})

/** Names that several sources declare, and of which at least one is an export or a type. */
function findTwins(sources: Record<string, string>) {
  const declared = Object.entries(sources).flatMap(([file, source]) => topLevelNames(source).map(found => ({ file, ...found })))
  return [...Map.groupBy(declared, ({ name }) => name)].flatMap(([name, all]) => {
    const declaring = [...new Set(all.map(({ file }) => file))]
    return declaring.length > 1 && all.some(({ isUnique }) => isUnique) ? [`${name}: ${declaring.join(', ')}`] : []
  })
}

function topLevelNames(source: string) {
  const program = nodesOf(source)[0]!
  return (program.body as Node[]).flatMap(statement => {
    const declaration = isNode(statement.declaration) ? statement.declaration : statement
    const isUnique = declaration !== statement || /^TS(TypeAlias|Interface)Declaration$/.test(declaration.type)
    const declarators = Array.isArray(declaration.declarations) ? (declaration.declarations as Node[]) : [declaration]
    return declarators.flatMap(({ id }) => (isNode(id) && typeof id.name === 'string' ? [{ name: id.name, isUnique }] : []))
  })
}
