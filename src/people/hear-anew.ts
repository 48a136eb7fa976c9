import type { MatchedBy } from '../contract/person.ts'
import { nameKey } from '../core/fold.ts'
import { and, eq, inArray } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { sessionPeople } from '../db/schema/index.ts'
import type { SessionRow } from '../sessions/detail.ts'
import { type Heard, together } from '../sessions/heard.ts'
import { forgetUnheard, insertHeard } from '../sessions/record-people.ts'
import { tallyPeople } from '../sessions/tally.ts'

interface Change {
  /** Of a name in the transcript. */
  key: string
  who: { personId: string; matchedBy: MatchedBy } | null
}

/**
 * Finds anew who is heard in a session, which is locked, as the people are. Who was who before goes on being so, whatever they are called
 * by now; only the changes make a difference, one after the other.
 */
export async function hearAnew(tx: Db, userId: string, session: SessionRow, heard: Heard[], changes: Change[]) {
  const isHeard = and(eq(sessionPeople.userId, userId), eq(sessionPeople.sessionId, session.sessionId))
  const listed = session.state === 'completed'
  if (listed) await tallyPeople(tx, userId, session.sessionId, -1)
  const before = await tx.select().from(sessionPeople).where(isHeard)
  const known = new Map<string, { personId: string; matchedBy: MatchedBy }>()
  for (const { nameKeys, nameInSession, personId, matchedBy } of before) {
    for (const one of nameKeys.length > 0 ? nameKeys : [nameKey(nameInSession)]) known.set(one, { personId, matchedBy })
  }
  for (const { key, who } of changes) {
    if (who) known.set(key, who)
    else known.delete(key)
  }

  const byPerson = new Map<string, Heard>()
  for (const one of heard) {
    const who = known.get(one.nameKey)
    if (!who) continue
    const earlier = byPerson.get(who.personId)
    const now = { ...one, matchedBy: who.matchedBy }
    byPerson.set(who.personId, earlier ? together(earlier, now) : now)
  }
  const gone = before.map(({ personId }) => personId)
  if (gone.length > 0) await tx.delete(sessionPeople).where(and(isHeard, inArray(sessionPeople.personId, gone)))
  await insertHeard(tx, userId, session, byPerson)
  if (listed) await tallyPeople(tx, userId, session.sessionId, 1)
  await forgetUnheard(tx, userId, gone)
}
