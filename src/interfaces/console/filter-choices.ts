import { LIMITS } from '../../contract/limits.ts'
import { listFolders } from '../../features/folders/operations.ts'
import { getPerson, searchPeople } from '../../features/people/list-people.ts'
import type { Services } from '../../features/services.ts'
import { countLibrary } from '../../features/sessions/library-counts.ts'
import type { Actor } from '../../platform/ports/actor.ts'

interface Chosen {
  person?: string | undefined
  folder?: string | undefined
  /** The words that the names of the menu have in common. */
  find_person?: string | undefined
  find_folder?: string | undefined
}

/** The names that the menu of a filter begins with. */
const MENU_NAMES = 20

/** Returns what loads the choices of the filters of sessions, with the names of the chosen person and folder. */
export function openFilterChoices(services: Pick<Services, 'db' | 'slow' | 'clock'>) {
  return async (actor: Actor, { person, folder, find_person, find_folder }: Chosen) => {
    const [folders, { people }, counts, chosen] = await Promise.all([
      foldersNamed(actor, find_folder),
      searchPeople(services, actor, { name: find_person ?? '', limit: MENU_NAMES, cursor: undefined }),
      countLibrary(services, actor),
      person === undefined ? undefined : getPerson(services, actor, person)
    ])
    const isChosen = ({ id, name }: (typeof folders)[number]) =>
      id === folder || name.toLowerCase() === folder?.toLowerCase()
    return {
      ...{ folders, people, counts },
      folder: folders.find(isChosen)?.name,
      person: chosen?.name,
      months: counts.months
    }
  }

  /** The first folders, or all that have a name in them; the chosen one is among them where it is one of the first. */
  async function foldersNamed(actor: Actor, name: string | undefined) {
    if (name === undefined) return (await listFolders(services, actor, { limit: LIMITS.foldersPage.max })).folders
    const { folders } = await listFolders(services, actor)
    return folders.filter(folder => folder.name.toLowerCase().includes(name.toLowerCase()))
  }
}
