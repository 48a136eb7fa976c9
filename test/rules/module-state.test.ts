import { expect, test } from 'vitest'
import { files, isNode, locate, type Node, nodesOf, read } from './source.ts'

const EXCEPTIONS = [
  // The programs of threads.
  'platform/ai/embedder/worker.ts',
  'platform/ai/voice/worker.ts'
]

const COLLECTIONS = /^(Map|Set|WeakMap|WeakSet|Array)$/
const MUTATORS = /^(set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin)$/

test('no module holds state, with the exceptions listed', () => {
  expect(files.filter(file => !EXCEPTIONS.includes(file)).flatMap(stateOf)).toEqual([])
})

/** Top-level variables that can be reassigned, constants that begin as an empty collection, and constants that their file mutates. */
function stateOf(file: string) {
  const source = read(file)
  const nodes = nodesOf(source)
  const program = nodes[0]!
  const declarations = (program.body as Node[])
    .map(node => (isNode(node.declaration) ? node.declaration : node))
    .filter(({ type }) => type === 'VariableDeclaration')
  const mutated = new Set<unknown>(nodes.map(mutatedName).filter(Boolean))
  const state = declarations.flatMap(({ kind, declarations: variables }) =>
    (variables as Node[]).filter(
      ({ id, init }) => kind !== 'const' || isEmptyCollection(init) || mutated.has(nameOf(id))
    )
  )
  return state.map(({ start }) => locate(file, source, start))
}

function isEmptyCollection(value: unknown) {
  if (!isNode(value)) return false
  const { type, elements, properties, callee, arguments: given } = value
  if (type === 'NewExpression') return COLLECTIONS.test(String(nameOf(callee))) && isEmpty(given)
  return type === 'ArrayExpression' ? isEmpty(elements) : type === 'ObjectExpression' && isEmpty(properties)
}

function isEmpty(list: unknown) {
  return Array.isArray(list) && list.length === 0
}

/** The name of what a node mutates: `name.push(…)`, `name.key = …`, `name.key++` or `delete name.key`. */
function mutatedName({ type, callee, left, argument, operator }: Node) {
  if (type === 'CallExpression')
    return isNode(callee) && MUTATORS.test(String(nameOf(callee.property))) ? nameOf(callee.object) : undefined
  const target =
    type === 'AssignmentExpression' ? left : type === 'UpdateExpression' || operator === 'delete' ? argument : undefined
  return isNode(target) && target.type === 'MemberExpression' ? nameOf(target.object) : undefined
}

function nameOf(value: unknown) {
  return isNode(value) ? value.name : undefined
}
