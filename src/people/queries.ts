import type { Person, PersonSession } from '../contract/person.ts'
import type { Reader } from '../db/open.ts'

const COLUMNS = 'person_id, name, is_me, recording_count, last_heard_at'

type Row = [string, string, boolean, number, string | null]

const LIST = {
  name: 'list_people',
  text: `select ${COLUMNS} from people where user_id = $1 and merged_into is null and (saved or is_me or recording_count > 0)
    order by is_me desc, last_heard_at desc nulls last, person_id`
}

/** The user's own person first, then who was heard last. */
export async function listPeople(db: Reader, userId: string) {
  const rows = await db.run<Row>(LIST, [userId])
  return rows.map(toPerson)
}

const FIND = {
  name: 'find_person',
  text: `select ${COLUMNS}, merged_into from people where user_id = $1 and (person_id = $2 or ($2 = 'me' and is_me))`
}

/** The person of that id, or the user's own for `me`; or only who that person turned out to be. */
export async function findPerson(
  db: Reader,
  userId: string,
  id: string
): Promise<{ person: Person; mergedInto?: never } | { person?: never; mergedInto: string } | undefined> {
  const [row] = await db.run<[...Row, string | null]>(FIND, [userId, id])
  if (!row) return undefined
  const [personId, name, isMe, recordings, lastHeard, mergedInto] = row
  return mergedInto === null ? { person: toPerson([personId, name, isMe, recordings, lastHeard]) } : { mergedInto }
}

const HEARD = {
  name: 'find_heard',
  text: `select session_id, talk_seconds, name_in_session, matched_by, top_lines from session_people
    where user_id = $1 and person_id = $2 and session_id = any($3)`
}

/** How the person is heard in each of these sessions. */
export async function findHeard(db: Reader, userId: string, personId: string, sessionIds: string[]) {
  const rows = await db.run<[string, number, string, PersonSession['matched_by'], string[]]>(HEARD, [userId, personId, sessionIds])
  return new Map(
    rows.map(([sessionId, talkSeconds, nameInSession, matchedBy, topLines]) => [
      sessionId,
      { talk_seconds: talkSeconds, name_in_session: nameInSession, matched_by: matchedBy, top_lines: topLines }
    ])
  )
}

function toPerson([id, name, isMe, recordings, lastHeard]: Row): Person {
  // Places in the list have microseconds, which are nobody's business here.
  const lastHeardAt = lastHeard && new Date(lastHeard).toISOString()
  return { id, name, is_me: isMe, recording_count: recordings, last_heard_at: lastHeardAt }
}

const IN_SESSION = {
  name: 'list_session_people',
  text: `select p.person_id, p.name, p.is_me, p.recording_count, p.last_heard_at, m.talk_seconds, m.name_in_session, m.matched_by, m.top_lines
    from session_people m join people p on p.user_id = m.user_id and p.person_id = m.person_id
    where m.user_id = $1 and m.session_id = $2 order by m.talk_seconds desc, p.person_id`
}

/** Who is heard in a session, the one who speaks most first. */
export async function listInSession(db: Reader, userId: string, sessionId: string) {
  const rows = await db.run<[...Row, number, string, PersonSession['matched_by'], string[]]>(IN_SESSION, [userId, sessionId])
  return rows.map(([id, name, isMe, recordings, lastHeard, talkSeconds, nameInSession, matchedBy, topLines]) => ({
    person: toPerson([id, name, isMe, recordings, lastHeard]),
    ...{ talk_seconds: talkSeconds, name_in_session: nameInSession, matched_by: matchedBy, top_lines: topLines }
  }))
}
