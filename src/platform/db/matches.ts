import { and, type Column, eq, type SQL, sql } from './drizzle.ts'

/** The condition that columns of a table have these values. */
export function matches<Values extends Record<string, string | boolean | Buffer>>(
  table: { [key in keyof Values]: Column },
  values: Values
) {
  const conditions: SQL[] = []
  for (const key in values) conditions.push(eq(table[key], values[key]))
  return and(...conditions)
}

/** The condition that a column has one of these values. They are one parameter however many they are, because a statement takes 65,535 parameters. */
export function isAnyOf(column: Column, values: Iterable<string>) {
  return sql`${column} = any(${sql.param([...values])}::text[])`
}
