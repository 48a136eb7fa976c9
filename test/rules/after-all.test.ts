import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { isNode, type Node } from './source.ts'

/** Other projects in folders of their own. */
const INSTALLED = /node_modules/

/** It is called while a file is loaded. */
const MAKER = 'support/folders.ts'

const testFiles = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(
  name => name.endsWith('.ts') && !INSTALLED.test(name) && name !== MAKER
)
const sources = testFiles
  .map(name => [name, readFileSync(`test/${name}`, 'utf8')] as const)
  .filter(([, source]) => source.includes('afterAll'))

// The hooks of a file are complete once it is loaded: what a hook or a test gives to afterAll is never called.
test('afterAll stands outside of hooks and tests', () => {
  expect(sources.flatMap(([name, source]) => lateHooks(source, name))).toEqual([])
})

test('it is found in a hook, in a test and in a function that they may call', () => {
  const late = [
    'beforeAll(() => afterAll(end))',
    "test('…', () => start({ finally: afterAll }))",
    'function open() { afterAll(end) }'
  ]
  expect(late.flatMap(source => lateHooks(source, 'x'))).toHaveLength(3)
  expect(lateHooks("afterAll(end); describe.runIf(true)('…', () => { afterAll(end) })", 'x')).toEqual([])
})

function lateHooks(source: string, name: string) {
  const found: string[] = []
  const visit = (value: unknown, late: boolean, parent?: Node) => {
    if (Array.isArray(value)) for (const element of value) visit(element, late, parent)
    if (!isNode(value)) return
    if (late && value.type === 'Identifier' && value.name === 'afterAll')
      found.push(`${name}:${source.slice(0, value.start).split('\n').length}`)
    const isLater = late || (/Function/.test(value.type) && !isDescribe(parent, source))
    for (const child of Object.values(value)) visit(child, isLater, value)
  }
  visit(parseAst(source, { lang: 'ts' }), false)
  return found
}

function isDescribe(parent: Node | undefined, source: string) {
  return parent?.type === 'CallExpression' && source.startsWith('describe', parent.start)
}
