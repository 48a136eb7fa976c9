import { EventEmitter } from 'node:events'
import type { Db } from './open.ts'

/** What others in this process may wait for. A hint, for those of other processes learn of it by asking the database. */
export type Topic = 'deliveries' | 'deletions'

interface Pending {
  commits: EventEmitter
  topics: Set<Topic>
}

const pending = new WeakMap<object, Pending>()

/** Tells this process of the topic once the transaction is committed; of one that is rolled back nobody hears. */
export function afterCommit(tx: Db, topic: Topic) {
  pending.get(tx)?.topics.add(topic)
}

/** Makes a database's transactions tell of their topics. */
export function tellOfCommits<D extends Db>(db: D): EventEmitter {
  const commits = new EventEmitter()
  const transaction = db.transaction.bind(db)
  db.transaction = async (run, config) => {
    const topics = new Set<Topic>()
    const result = await transaction(async tx => {
      pending.set(tx, { commits, topics })
      return await run(tx)
    }, config)
    for (const topic of topics) commits.emit(topic)
    return result
  }
  return commits
}
