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

const VOLATILE = /\b(clock_timestamp|timeofday|random|random_normal|gen_random_uuid|nextval|setval|pg_sleep)\s*\(/i
const CHANGE = /(?<!\b(?:for|do) )\b(?:update\s+\w+(?:\s+(?:as\s+)?\w+)?\s+set|delete\s+from)\b/gi

/** The statements of a text that change rows, up to the parenthesis that closes them. */
function changesIn(text: string) {
  return [...text.matchAll(CHANGE)].map(({ index }) => {
    let depth = 0
    for (let at = index; at < text.length; at++) {
      depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0
      if (depth < 0) return text.slice(index, at)
    }
    return text.slice(index)
  })
}

/** Citus refuses a volatile function in a change of a distributed table, and any fragment may become part of one. */
function hasVolatileChange(text: string) {
  return STATEMENT.test(text) ? changesIn(text).some(change => VOLATILE.test(change)) : VOLATILE.test(text)
}

test('no UPDATE or DELETE has a volatile function', () => {
  const found = files.flatMap(file => {
    const source = read(file)
    return nodesOf(source)
      .filter(({ type, start, end }) => {
        const isText = type === 'TemplateLiteral' || (type === 'Literal' && STATEMENT.test(source.slice(start, end)))
        return isText && hasVolatileChange(source.slice(start, end))
      })
      .map(({ start }) => locate(file, source, start))
  })
  expect(found).toEqual([])
})

test.each([
  ['update uploads set leased_until = clock_timestamp() where user_id = $1', true],
  ['update uploads u set leased_until = clock_timestamp() where u.user_id = $1', true],
  ['with gone as (delete from uploads where leased_until < clock_timestamp() returning 1) select 1', true],
  ['update uploads set n = 1 where user_id = $1 returning random()', true],
  ['clock_timestamp()', true],
  ['with n as (update uploads set n = (n + 1) returning n) select n, clock_timestamp() from n', false],
  ['insert into uploads values (clock_timestamp()) on conflict do update set n = 1', false],
  ['select clock_timestamp() from uploads for update', false],
  ['update uploads set leased_until = statement_timestamp()', false]
])('the rule knows a volatile change: %s', (statement, isRefused) => {
  expect(hasVolatileChange(`\`${statement}\``)).toBe(isRefused)
})
