import { expect, test } from 'vitest'
import { files, isNode, locate, type Node, nodesOf, read } from './source.ts'

const MAX_CASTS = 10

test('nothing is left to do later', () => {
  expect(linesWith(/\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([])
})

test('nothing silences the compiler', () => {
  expect(linesWith(/@ts-(ignore|nocheck|expect-error)/)).toEqual([])
})

test('nothing silences the linter without a reason', () => {
  expect(linesWith(/biome-ignore(?!(-start|-end)? [\w/]+: \w+ \w+)/)).toEqual([])
})

test('a comment begins with its subject, not with Who, What, Where, Which or Of', () => {
  expect(linesWith(/^\s*(\/\*\*|\*|\/\/) (Who|Whose|What|Where|Which|Of) /)).toEqual([])
})

test('nothing is any', () => {
  expect(nodesWhere(({ type }) => type === 'TSAnyKeyword')).toEqual([])
})

test(`the whole of src has at most ${MAX_CASTS} casts`, () => {
  const casts = nodesWhere(node => /^TS(As|TypeAssertion|NonNull)/.test(node.type) && !isConst(node))
  expect(casts.length, casts.join('\n')).toBeLessThanOrEqual(MAX_CASTS)
})

function isConst({ typeAnnotation }: Node) {
  return isNode(typeAnnotation) && isNode(typeAnnotation.typeName) && typeAnnotation.typeName.name === 'const'
}

function linesWith(pattern: RegExp) {
  return files.flatMap(file => {
    const source = read(file)
    return source
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []))
  })
}

function nodesWhere(matches: (node: Node) => boolean) {
  return files.flatMap(file => {
    const source = read(file)
    return nodesOf(source)
      .filter(matches)
      .map(node => locate(file, source, node.start))
  })
}
