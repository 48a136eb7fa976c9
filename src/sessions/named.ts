import { ApiError, notFound } from '../core/api-error.ts'
import type { Reader } from '../db/open.ts'
import { findFolderId, findPersonId } from './queries.ts'

/** The folder that a filter names, or the answer that there is none. */
export async function folderOf(db: Reader, userId: string, idOrName: string) {
  const folderId = await findFolderId(db, userId, idOrName)
  if (folderId === undefined) throw notFound('Folder')
  return folderId
}

/** The person that a filter names, or the answer that there is none, or that it is someone else now. */
export async function personOf(db: Reader, userId: string, idOrMe: string) {
  const found = await findPersonId(db, userId, idOrMe)
  if (!found) throw notFound('Person')
  if (found.mergedInto) throw new ApiError('not_found', 'Person not found', { mergedInto: found.mergedInto })
  return found.personId
}
