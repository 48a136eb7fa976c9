import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PgDialect, type SQL, sql } from '../../../src/platform/db/drizzle.ts'
import { toQuery } from '../../../src/platform/db/statements.ts'

const { sql: part } = fc.letrec<{ sql: SQL }>(tie => ({
  sql: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(sql`true`, sql.raw('now()'), sql``),
    fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.date(), fc.boolean()).map(value => sql`a = ${value}`),
    fc.array(fc.string()).map(values => sql`b = any(${sql.param(values)}::text[]) ${undefined}`),
    fc.array(tie('sql'), { maxLength: 4 }).map(parts => sql`(${sql.join(parts, sql` and `)})`)
  )
}))

test('a statement has the text and the values that drizzle gives it', () => {
  fc.assert(
    fc.property(part, statement => {
      const { sql: text, params } = new PgDialect({ casing: 'snake_case' }).sqlToQuery(statement)
      expect(toQuery(statement, () => undefined)).toEqual({ text, values: params, name: undefined })
    })
  )
})
