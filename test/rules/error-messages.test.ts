import { expect, test } from 'vitest'
import { files, isNode, locate, type Node, nodesOf, read } from './source.ts'

/** Files that read the messages of others' errors, which nothing else tells apart. Our own errors have a class and a code. */
const EXCEPTIONS: Record<string, string> = {
  'platform/ai/openai/errors.ts': 'Servers agree on no code for an input that is too long.',
  'platform/db/citus-errors.ts': 'Citus reports the loss of a node as an internal error.',
  'platform/db/explain.ts':
    'PostgreSQL names a missing right or extension, and pg the lack of TLS, in the message only.',
  'features/transcript-formats/parse.ts': 'V8 has the position of an error of JSON in the message only.',
  'features/ingest/upload.ts': 'The parser of forms has no code for a form that ends early.'
}

const READING = /^(includes|startsWith|endsWith|indexOf|match|matchAll|search|replace|replaceAll)$/

/** Whether the node is the message of something, or a variable that is called so, or a text made of one. */
function isMessage(node: unknown): boolean {
  if (!isNode(node)) return false
  if (node.type === 'Identifier') return node.name === 'message'
  if (node.type === 'MemberExpression') return isNode(node.property) && node.property.name === 'message'
  if (node.type === 'ChainExpression') return isMessage(node.expression)
  if (node.type === 'TemplateLiteral') return listOf(node.expressions).some(isMessage)
  if (node.type === 'LogicalExpression') return isMessage(node.left) || isMessage(node.right)
  if (node.type === 'ConditionalExpression') return isMessage(node.consequent) || isMessage(node.alternate)
  if (node.type === 'CallExpression') return listOf(node.arguments).some(isMessage)
  return false
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Whether the node searches a message, or compares it with a text. */
function readsMessage(node: Node) {
  if (node.type === 'BinaryExpression')
    return [node.left, node.right].some(isMessage) && [node.left, node.right].some(isText)
  if (node.type !== 'CallExpression' || !isNode(node.callee) || node.callee.type !== 'MemberExpression') return false
  const { object, property } = node.callee
  if (!isNode(property)) return false
  if (READING.test(String(property.name))) return isMessage(object)
  return /^(test|exec)$/.test(String(property.name)) && listOf(node.arguments).some(isMessage)
}

function isText(node: unknown) {
  return isNode(node) && node.type === 'Literal' && typeof node.value === 'string'
}

test('no file tells errors apart by their message, with the exceptions of the table', () => {
  const found = files.flatMap(file => {
    const source = read(file)
    return nodesOf(source)
      .filter(readsMessage)
      .map(({ start }) => locate(file, source, start))
  })
  expect(found.filter(place => !Object.hasOwn(EXCEPTIONS, place.replace(/:.*/, '')))).toEqual([])
  const reading = new Set(found.map(place => place.replace(/:.*/, '')))
  expect(Object.keys(EXCEPTIONS).filter(file => !reading.has(file))).toEqual([])
})
