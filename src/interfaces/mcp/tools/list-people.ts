import { LIMITS } from '../../../contract/limits.ts'
import { PeopleQuery } from '../../../contract/person.ts'
import { listPeople } from '../../../features/people/list-people.ts'
import { pageRows, quote } from '../answer-text.ts'
import { defineTool } from '../tool.ts'

export const listPeopleTool = defineTool({
  name: 'list_people',
  title: 'List people',
  description:
    'Lists the people who speak in the conversations: the user first, then who spoke most recently. Their ids are for the person filter of other tools; "me" is the user.',
  operation: 'listPeople',
  input: PeopleQuery,
  async answer({ services, actor }, { limit = LIMITS.peoplePage.default, cursor }) {
    const fetch = async (most: number) => {
      const { people: rows, next_cursor: next } = await listPeople(services, actor, { limit: most, cursor })
      return { rows, next }
    }
    return await pageRows('People', limit, fetch, ({ id, name, is_me, recording_count: count, last_heard_at: at }) => {
      const heard = at === null ? '' : `, last on ${at}`
      return `- ${quote(name)}${is_me ? ' (the user)' : ''}, ${count} conversations${heard}, id ${id}`
    })
  }
})
