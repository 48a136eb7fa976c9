import { and, type Column, eq, type SQL } from './drizzle.ts'

/** The condition that columns of a table have these values. */
export function matches<Values extends Record<string, string | boolean | Buffer>>(
  table: { [key in keyof Values]: Column },
  values: Values
) {
  const conditions: SQL[] = []
  for (const key in values) conditions.push(eq(table[key], values[key]))
  return and(...conditions)
}
