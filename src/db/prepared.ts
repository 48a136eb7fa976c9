import type { Db } from './open.ts'

/** A query that is asked often, built once for each connection: building one takes this process longer than asking it. */
export function prepared<Query>(build: (db: Db) => Query): (db: Db) => Query {
  const known = new WeakMap<object, Query>()
  return db => {
    const { session } = db._
    const query = known.get(session) ?? build(db)
    known.set(session, query)
    return query
  }
}
