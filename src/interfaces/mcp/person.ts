import type { Person } from '../../contract/person.ts'
import { searchPeople } from '../../features/people/list-people.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { nameKey } from '../../platform/text/fold.ts'
import { quote } from './answer-text.ts'
import type { Call } from './tool.ts'

/** The people that an error names when a name fits several. */
const MAX_NAMED = 5

/** Returns the id of a person that is named by id, as `me`, or by a name or a part of one that fits nobody else. */
export async function findPersonId({ services, actor }: Call, named: string | undefined) {
  if (named === undefined || named === 'me' || isPersonId(named)) return named
  // Without the scope for people, the operation that is called answers about the id.
  if (!actor.scopes.has('sessions:read')) return named
  const page = { name: named, limit: MAX_NAMED + 1, cursor: undefined }
  const { people } = await searchPeople(services, actor, page)
  const same = people.filter(({ name }) => nameKey(name) === nameKey(named))
  const [one, ...others] = same.length > 0 ? same : people
  if (!one) throw new ApiError('not_found', 'nobody has this name', { field: 'person' })
  if (others.length > 0) throw severalFit([one, ...others])
  return one.id
}

function severalFit(people: readonly Person[]) {
  const shown = people.slice(0, MAX_NAMED).map(({ id, name }) => `${quote(name)} (${id})`)
  const more = people.length > MAX_NAMED ? ' and others' : ''
  const details = { field: 'person', expected: 'one of these ids' }
  return new ApiError('invalid_request', `several people fit: ${shown.join(', ')}${more}`, details)
}

/** An id is written in one way only, and no name looks like it. */
function isPersonId(named: string) {
  return named.startsWith('per_') && named.length === 'per_01m7x5r8n3k2vfd9w0c6ty4hbs'.length
}
