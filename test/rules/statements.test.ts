import { expect, test } from 'vitest'
import { files, locate, nodesOf, read } from './source.ts'

const MAX_LINES = 25
const STATEMENT = /^\W*(with|select|insert|update|delete)\b/i

test(`a statement, or a part of one, has at most ${MAX_LINES} lines`, () => {
  const found = files.flatMap(file => {
    const source = read(file)
    return nodesOf(source)
      .filter(({ type, start, end }) => type === 'TemplateLiteral' && STATEMENT.test(source.slice(start, end)))
      .filter(({ start, end }) => source.slice(start, end).split('\n').length > MAX_LINES)
      .map(({ start }) => locate(file, source, start))
  })
  expect(found).toEqual([])
})
