import type { MatchedBy } from '../../contract/person.ts'
import { and } from '../../platform/db/drizzle.ts'
import { isAnyOf, matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { sessionPeople } from '../../platform/db/schema/index.ts'
import type { TranscriptSpeaker } from '../../platform/ports/corrected-transcript.ts'
import { countPeople } from '../library/count-people.ts'
import { deleteUnheardPeople, insertSessionPeople } from '../library/record-people.ts'
import type { SessionRow } from '../library/session-row.ts'
import { groupByPerson } from '../library/speakers.ts'

export interface Reassignment {
  /** The key of a name in the transcript. */
  key: string
  who: { personId: string; matchedBy: MatchedBy } | null
}

/**
 * Computes the people of a session again and applies the changes in order. Other assignments of names to people stay. The session and its
 * people must be locked.
 */
export async function reassignSpeakers(
  tx: Db,
  userId: string,
  session: SessionRow,
  speakers: TranscriptSpeaker[],
  changes: Reassignment[]
) {
  const isHeard = matches(sessionPeople, { userId, sessionId: session.sessionId })
  const listed = session.state === 'completed'
  if (listed) await countPeople(tx, userId, session.sessionId, -1)
  const before = await tx.select().from(sessionPeople).where(isHeard)
  const known = new Map<string, { personId: string; matchedBy: MatchedBy }>()
  for (const { nameKeys, personId, matchedBy } of before) {
    for (const one of nameKeys) known.set(one, { personId, matchedBy })
  }
  for (const { key, who } of changes) {
    if (who) known.set(key, who)
    else known.delete(key)
  }

  const matched = speakers.map(speaker => ({
    ...speaker,
    matchedBy: known.get(speaker.nameKey)?.matchedBy ?? speaker.matchedBy
  }))
  const byPerson = groupByPerson(matched, speaker => known.get(speaker.nameKey)?.personId)
  const gone = before.map(({ personId }) => personId)
  if (gone.length > 0) await tx.delete(sessionPeople).where(and(isHeard, isAnyOf(sessionPeople.personId, gone)))
  await insertSessionPeople(tx, userId, session, byPerson)
  if (listed) await countPeople(tx, userId, session.sessionId, 1)
  await deleteUnheardPeople(tx, userId, gone)
}
