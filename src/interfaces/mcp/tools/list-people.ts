import { z } from 'zod'
import { characters } from '../../../contract/common.ts'
import { FIELD_LIMITS, LIMITS } from '../../../contract/limits.ts'
import { PeopleQuery } from '../../../contract/person.ts'
import { listPeople, searchPeople } from '../../../features/people/list-people.ts'
import { pageRows, quote } from '../answer-text.ts'
import { nextCursor } from '../arguments.ts'
import { nextPage, toNextPage } from '../next-page.ts'
import { localTime } from '../period.ts'
import { defineTool } from '../tool.ts'

const { limit, cursor } = PeopleQuery.shape
const text = z.string()

export const listPeopleTool = defineTool({
  name: 'list_people',
  title: 'List people',
  description: 'Lists the people who speak: the user first, then who spoke most recently.',
  operation: 'listPeople',
  input: z.object({
    name: characters(1, FIELD_LIMITS.idOrName).optional().meta({ description: 'A part of the name, in any case.' }),
    limit: limit.meta({ description: '' }),
    cursor: cursor.meta({ description: nextCursor })
  }),
  output: z.object({
    people: z.array(
      z.object({
        id: text,
        name: text,
        is_me: z.boolean(),
        recording_count: z.number(),
        last_heard_at: text.optional()
      })
    ),
    ...nextPage
  }),
  async answer(call, { name, limit: asked = LIMITS.peoplePage.default, cursor: after }) {
    const { services, actor } = call
    const { timeZone } = await call.user()
    const fetch = async (most: number) => {
      const page = { limit: most, cursor: after }
      const found =
        name === undefined
          ? await listPeople(services, actor, page)
          : await searchPeople(services, actor, { name, ...page })
      return { rows: found.people, next: found.next_cursor }
    }
    const shown = await pageRows(
      'People',
      asked,
      fetch,
      ({ id, name: called, is_me, recording_count: count, ...one }) => {
        const heard = one.last_heard_at === null ? '' : `, last on ${localTime(one.last_heard_at, timeZone)}`
        return `- ${quote(called)}${is_me ? ' (the user)' : ''}, ${count} conversations${heard}, id ${id}`
      }
    )
    const people = shown.rows.map(({ id, name: called, is_me, recording_count, last_heard_at: at }) => {
      return { id, name: called, is_me, recording_count, ...(at !== null && { last_heard_at: at }) }
    })
    return { text: shown.text, object: { people, ...toNextPage(shown.next) } }
  }
})
