import { listFolders } from '../../features/folders/operations.ts'
import type { Services } from '../../features/services.ts'
import type { View, Visit } from './visit.ts'

/** The most folders that the navigation leads to; the page of folders has all. */
const PINNED_FOLDERS = 8

/** The visit with the folders of the navigation, on the pages that have it. */
export async function withFolders(
  services: Pick<Services, 'db'>,
  visit: Visit,
  { side, narrow }: View
): Promise<Visit> {
  if (!visit.visitor || visit.visitor.guest || side || narrow) return visit
  const { folders } = await listFolders(services, visit.visitor.actor, { limit: PINNED_FOLDERS })
  const pinned = folders.filter(folder => folder.pinned)
  return { ...visit, pinned: pinned.map(({ id, name, session_count: count }) => ({ id, name, count })) }
}
