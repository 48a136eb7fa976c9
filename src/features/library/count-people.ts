import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'

/** Adds 1 to or subtracts 1 from the counters of the people in a session: it is listed or unlisted, or its people change. */
export async function countPeople(tx: Db, userId: string, sessionId: string, turn: 1 | -1) {
  await lockSessionPeople(tx, userId, sessionId)
  await tx.execute(sql`
    update people p set recording_count = recording_count + ${turn}::int, talk_seconds = p.talk_seconds + ${turn}::int * (
      select m.talk_seconds::numeric from session_people m
      where m.user_id = ${userId} and m.session_id = ${sessionId} and m.person_id = p.person_id
    ), last_heard_at = (
      select m.sort_at from session_people m
      join sessions s on s.user_id = ${userId} and s.session_id = m.session_id and s.state = 'completed'
      where m.user_id = ${userId} and m.person_id = p.person_id and (${turn}::int = 1 or m.session_id <> ${sessionId})
      order by m.sort_at desc limit 1
    )
    where user_id = ${userId}
      and person_id in (select person_id from session_people where user_id = ${userId} and session_id = ${sessionId})`)
}

/** Locks the people of the session in the order of ids. A concurrent merge may change them while this waits. */
async function lockSessionPeople(tx: Db, userId: string, sessionId: string) {
  tx.willLock('person counts')
  for (let locked: string | undefined; ; ) {
    const { rows } = await tx.execute<{ person_id: string }>(sql`
      select person_id from session_people where user_id = ${userId} and session_id = ${sessionId} order by person_id`)
    const speakerIds = rows.map(row => row.person_id)
    if (speakerIds.length === 0 || speakerIds.join() === locked) return
    await tx.execute(sql`
      select from people where user_id = ${userId} and person_id = any(${sql.param(speakerIds)}::text[]) order by person_id for no key update`)
    locked = speakerIds.join()
  }
}
