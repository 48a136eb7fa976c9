import { z } from 'zod'
import { listOf } from '../../../contract/common.ts'
import { FolderCreate, FolderPatch } from '../../../contract/folder.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { personName } from '../../../contract/person.ts'
import { TermCreate } from '../../../contract/term.ts'
import { ApiError, describeError, invalid } from '../../../platform/core/api-error.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import type { Actor } from '../../../platform/ports/actor.ts'
import { LISTS } from '../../exports/manifest.ts'
import { createFolder, listFolders, updateFolder } from '../../folders/operations.ts'
import { createPerson } from '../../people/change-person.ts'
import { mergePeople } from '../../people/merge.ts'
import type { Needs } from '../../services.ts'
import { importTerms } from '../../terms/operations.ts'
import { importTemplate } from './import-template.ts'

type ListServices = Needs<'db' | 'clock' | 'quotas' | 'jobs'>
export type ImportedList = 'folders' | 'people' | 'terms' | 'templates'

const Entry = z.looseObject({})
const KnownPerson = z.object({
  name: personName,
  is_me: z.boolean(),
  saved: z.boolean(),
  also_known_as: listOf(personName, LIMITS.bodyValues, 'names')
})

/**
 * Imports a list of an archive, and yields a sentence for each entry that could not be imported. What exists by its name stays as it is. The
 * actor needs the scope of what is created.
 */
export async function* importList(
  services: ListServices,
  actor: Actor,
  list: ImportedList,
  entries: AsyncIterable<unknown>
): AsyncGenerator<string> {
  const folders = list === 'folders' ? (await listFolders(services, actor)).folders : []
  const known = new Set(folders.map(({ id }) => id))
  let number = 0
  for await (const sent of entries) {
    number++
    try {
      const { data: entry } = Entry.safeParse(sent)
      if (!entry) throw invalid({ expected: 'an object' })
      if (list === 'folders') await importFolder(services, actor, entry, known)
      else if (list === 'people') await importPerson(services, actor, entry)
      else if (list === 'templates') await importTemplate(services, actor, entry)
      else await importTerms(services, actor, [readShape(TermCreate, entry, 'body')])
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      yield `${LISTS[list]}, entry ${number}: ${describeError(error, 'give')}`
      // The next entry would be refused as well.
      if (error.code === 'insufficient_scope') return
      if (error.code === 'limit_exceeded') return yield `${LISTS[list]}: the entries after entry ${number} are left out`
    }
  }
}

/** A new folder also gets its place and its look. */
async function importFolder(services: ListServices, actor: Actor, entry: object, known: ReadonlySet<string>) {
  const { id } = await createFolder(services, actor, readShape(FolderCreate, entry, 'body'))
  if (known.has(id)) return
  const { pinned, sort_order, order, keep } = FolderPatch.parse(entry)
  const look = { pinned, sort_order, order, keep }
  if (Object.values(look).some(value => value !== undefined)) await updateFolder(services, actor, id, look)
}

/** Others than saved people come with their sessions. Names of people who were merged lead to the remaining one again. */
async function importPerson(services: ListServices, actor: Actor, entry: object) {
  const { name, is_me: isMe, saved, also_known_as: others } = readShape(KnownPerson, entry, 'body')
  if (!saved && !isMe) return
  const { person } = await createPerson(services, actor, { name, is_me: isMe })
  for (const other of others) {
    const alias = await createPerson(services, actor, { name: other, is_me: false })
    if (alias.created) await mergePeople(services, actor, alias.person.id, { into: person.id })
  }
}
