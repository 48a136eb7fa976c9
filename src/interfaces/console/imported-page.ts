import type { Imported } from '../../features/ingest/operations.ts'
import { InTrash } from '../../features/sessions/accepted.ts'

/** Returns the page of the session that an import makes or finds. One that is in the trash can be restored there. */
export async function importedPage(importSession: () => Promise<Imported>) {
  try {
    const { session } = await importSession()
    return `/s/${session.id}`
  } catch (error) {
    if (error instanceof InTrash) return `/s/${error.sessionId}`
    throw error
  }
}
