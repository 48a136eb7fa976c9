import { fromSql, toSql } from 'pgvector'
import { customType } from './drizzle.ts'
import { escapeLiteral } from './literal.ts'

/** A vector as the database reads it. */
export const vectorText: (vector: number[]) => string = toSql

/** Half-precision vectors of any dimension: each row names its model, so an index is made for one model at a time. */
export const halfvec = customType<{ data: number[]; driverData: string }>({
  dataType: () => 'halfvec',
  toDriver: vectorText,
  fromDriver: fromSql
})

/** An index on the vectors of one owner and one model. */
export interface VectorIndex {
  userId: string
  model: string
  dimension: number
}

/** The rows that an index covers, as a condition. */
export function coverage({ userId, model, dimension }: VectorIndex) {
  return `user_id = ${escapeLiteral(userId)} and model = ${escapeLiteral(model)} and dimension = ${dimension}`
}
