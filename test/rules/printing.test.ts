import { expect, test } from 'vitest'
import { files, isNode, locate, type Node, nodesOf, read } from './source.ts'

/** It takes control characters out of what it prints. */
const PRINTER = 'cli/output.ts'

test('commands print by one file, so that no text of others reaches a terminal as it is', () => {
  const printing = files.filter(file => file.startsWith('cli/') && file !== PRINTER)
  const found = printing.flatMap(file => {
    const source = read(file)
    return nodesOf(source).flatMap(node => (isConsole(node) ? [locate(file, source, node.start)] : []))
  })
  expect(found).toEqual([])
  expect(nodesOf(read(PRINTER)).filter(isConsole).length).toBeGreaterThan(0)
})

function isConsole({ type, object }: Node) {
  return type === 'MemberExpression' && isNode(object) && object.name === 'console'
}
