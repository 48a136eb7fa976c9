import { expect, test } from 'vitest'
import { files, isNode, type Node, nodesOf, read } from './source.ts'

const queryFiles = files.filter(file => file.endsWith('/queries.ts'))

test('the rule has files to look at', () => {
  expect(queryFiles.length).toBeGreaterThan(1)
})

test.each(queryFiles)('every query of %s takes the database and then the user it is for', file => {
  const queries = exportedFunctions(read(file))
  expect(queries).not.toEqual([])
  const ownerless = queries.filter(({ parameters }) => !/^(db|tx): (Db|Reader|Database), userId: string(,|$)/.test(parameters))
  expect(ownerless.map(({ name, parameters }) => `src/${file}: ${name}(${parameters})`)).toEqual([])
})

/** Exported functions in either spelling, and with them every exported value: a query file exports nothing but queries and types. */
function exportedFunctions(source: string) {
  return nodesOf(source)
    .filter(({ type, exportKind }) => /^Export/.test(type) && exportKind !== 'type')
    .flatMap(({ declaration, specifiers }) => {
      if (isNode(declaration) && /^TS/.test(declaration.type)) return []
      if (isNode(declaration) && Array.isArray(declaration.declarations)) return declaration.declarations as Node[]
      return [declaration, ...((specifiers as Node[] | undefined) ?? [])].filter(isNode)
    })
    .map(node => {
      const made = isNode(node.init) ? node.init : node
      const parameters = (Array.isArray(made.params) ? (made.params as Node[]) : []).map(({ start, end }) => source.slice(start, end))
      return { name: isNode(node.id) ? String(node.id.name) : source.slice(node.start, node.end), parameters: parameters.join(', ') }
    })
}
