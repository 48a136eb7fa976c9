import type { Person } from '../../contract/person.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import { people } from '../../platform/db/schema/index.ts'
import { nameKey } from '../../platform/text/fold.ts'
import { operation } from '../access/operation.ts'
import { IS_LISTED, IS_UNCONFIRMED, PERSON_COLUMNS, toPerson } from '../library/person-row.ts'
import type { Needs, Services } from '../services.ts'
import { updatePerson } from './change-person.ts'
import { mergePeople } from './merge.ts'
import { likelySame, toNamed } from './similar-names.ts'

/** The people that a page asks about, and those whose names are compared with theirs. */
const PAGE = 50
const MAX_COMPARED = 1_000

export interface Unconfirmed {
  person: Person
  /** A person with at least as many sessions, whose name is written in another way or with more of it. */
  same: { id: string; name: string } | undefined
}

/** Lists people whose names came with conversations, and whom the user has neither named nor confirmed, those with the most sessions first. */
export const listUnconfirmed = operation(
  'listPeople',
  async ({ db }: Pick<Services, 'db'>, actor): Promise<{ people: Unconfirmed[]; names: string[] }> => {
    const { userId } = actor
    const rows = await db.query<Person & { unconfirmed: boolean }>(sql`
      select ${PERSON_COLUMNS}, ${IS_UNCONFIRMED} as unconfirmed from people p
      where p.user_id = ${userId} and ${IS_LISTED}
      order by p.recording_count desc, p.person_id limit ${MAX_COMPARED}`)
    const named = rows.map(row => ({ row, ...toNamed(row) }))
    const asked = [...named.entries()].filter(([, { row }]) => row.unconfirmed).slice(0, PAGE)
    return {
      people: asked.map(([at, one]) => ({ person: toPerson(one.row), same: likelySame(one, named.slice(0, at)) })),
      names: rows.map(({ name }) => name)
    }
  }
)

export interface NameAnswer {
  id: string
  name: string
  isMe: boolean
}

/**
 * Gives each of some people the name that is right for them, or merges them into the person who has it, and confirms them. Returns the sentences on those
 * that could not be changed; the others are.
 */
export const confirmNames = operation(
  'updatePerson',
  async (
    services: Needs<'db' | 'clock' | 'jobs'>,
    actor,
    answers: readonly NameAnswer[]
  ): Promise<{ name: string; problem: string }[]> => {
    const problems: { name: string; problem: string }[] = []
    for (const { id, name, isMe } of answers)
      try {
        const holder = await findHolder(services, actor.userId, name)
        const isOther = holder !== undefined && holder.id !== id
        if (isOther) await mergePeople(services, actor, id, { into: holder.id })
        // Another spelling of the same name, such as that with capitals, is a new name.
        const change = { ...(!isOther && holder?.name !== name && { name }), ...(isMe && { is_me: true }) }
        if (!isOther || isMe) await updatePerson(services, actor, holder?.id ?? id, change)
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error
        problems.push({ name, problem: error.message })
      }
    return problems
  }
)

/** The person who has a name; `name` is as they are called by it, unless it is that of somebody who was merged into them. */
async function findHolder({ db }: Needs<'db'>, userId: string, name: string) {
  const [row] = await db
    .select({ personId: people.personId, mergedInto: people.mergedInto, name: people.name })
    .from(people)
    .where(matches(people, { userId, nameKey: nameKey(name) }))
  return row && { id: row.mergedInto ?? row.personId, name: row.mergedInto === null ? row.name : undefined }
}
