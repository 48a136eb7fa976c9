import { folderIdOrName } from '../../contract/common.ts'
import { conversationTags, person } from './arguments.ts'
import { type Period, period, readPeriod } from './period.ts'
import { findPersonId } from './person.ts'
import type { Call } from './tool.ts'

/** The arguments by which tools list or search some conversations. */
export const sessionFilters = {
  ...period,
  person,
  folder: folderIdOrName.optional().meta({ description: 'An id or a name.' }),
  tags: conversationTags
}

/** Reads the period and the person as the operations take them. */
export async function readFilters(
  call: Call,
  { since, until, person: named }: Period & { person?: string | undefined }
) {
  return { ...(await readPeriod(call, { since, until })), person: await findPersonId(call, named) }
}
