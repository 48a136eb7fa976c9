import { expect, test } from 'vitest'
import { files, importsOf, isNode, locate, type Node, nodesOf, read } from './source.ts'

/** It sets a variable for native code, before that is loaded. */
const WRITER = 'platform/ai/embedder/runtime.ts'

test('only config/ reads the environment', () => {
  const readers = files.filter(file => !file.startsWith('platform/config/') && file !== WRITER).flatMap(readsOf)
  expect(readers).toEqual([])
})

test('platform/config/config.ts reads it', () => {
  expect(readsOf('platform/config/config.ts')).not.toEqual([])
})

test('one other file sets one variable', () => {
  expect(readsOf(WRITER)).toEqual([expect.stringMatching(/: process\.env\.ORT_DISABLE_TELEMETRY = '1'$/)])
})

function readsOf(file: string) {
  const source = read(file)
  const imported = importsOf(source).filter(({ from }) => /^(node:)?process$/.test(from))
  const reads = nodesOf(source).filter(readsEnvironment)
  return [
    ...imported.map(({ from }) => `${file}: imports ${from}`),
    ...reads.map(node => locate(file, source, node.start))
  ]
}

/** In the spellings process.env, process['env'] and const { env } = process. */
function readsEnvironment(node: Node) {
  if (node.type === 'MemberExpression') return isProcess(node.object) && nameOf(node.property) === 'env'
  if (node.type !== 'VariableDeclarator' || !isProcess(node.init)) return false
  return (
    isNode(node.id) && Array.isArray(node.id.properties) && node.id.properties.some(({ key }) => nameOf(key) === 'env')
  )
}

function isProcess(value: unknown) {
  return isNode(value) && value.type === 'Identifier' && value.name === 'process'
}

function nameOf(value: unknown) {
  return isNode(value) ? (value.name ?? value.value) : undefined
}
