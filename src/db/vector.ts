import { fromSql, toSql } from 'pgvector'
import { customType } from './drizzle.ts'

/** Half-precision vectors of any dimension: each row names its model, so an index is made for one model at a time. */
export const halfvec = customType<{ data: number[]; driverData: string }>({
  dataType: () => 'halfvec',
  toDriver: vectorText,
  fromDriver: fromSql
})

/** A vector as the database reads it. */
export function vectorText(vector: number[]): string {
  return toSql(vector)
}
