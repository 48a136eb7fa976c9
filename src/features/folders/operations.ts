import type {
  Folder,
  FolderCreate,
  FolderList,
  FolderMembershipResponse,
  FolderPatch,
  FoldersQuery
} from '../../contract/folder.ts'
import { LIMITS } from '../../contract/limits.ts'
import { invalid, throwNotFound } from '../../platform/core/api-error.ts'
import { violates } from '../../platform/db/errors.ts'
import { operation } from '../access/operation.ts'
import { limitsFor } from '../access/room.ts'
import { requireFolderId } from '../library/list.ts'
import { listFolderIds, lockSession } from '../library/session-row.ts'
import type { Needs, Services } from '../services.ts'
import {
  countMembers,
  deleteFolderRow,
  findFolder,
  findOrInsertFolder,
  linkSession,
  lockFolder,
  selectFolderPage,
  selectFolders,
  setLastOpened,
  unlinkSession,
  updateFolderRow
} from './queries.ts'

/** Lists folders in display order, pinned first, then by `order`, then by name: all, or a page if `limit` or `cursor` is given. */
export const listFolders = operation(
  'listFolders',
  async ({ db }: Needs<'db'>, actor, { limit, cursor }: FoldersQuery = {}): Promise<FolderList> => {
    if (limit === undefined && cursor === undefined) return { folders: await selectFolders(db, actor.userId) }
    return await selectFolderPage(db, actor.userId, { limit: limit ?? LIMITS.foldersPage.default, cursor })
  }
)

export const getFolder = operation(
  'getFolder',
  async ({ db }: Needs<'db'>, actor, folderId: string): Promise<Folder> => {
    return (await findFolder(db, actor.userId, folderId)) ?? throwNotFound('Folder')
  }
)

/** Creates a folder, or returns the existing one with this name in any case. */
export const createFolder = operation(
  'createFolder',
  async (services: Needs<'db' | 'clock' | 'quotas'>, actor, folder: FolderCreate): Promise<Folder> => {
    const taking = { limits: limitsFor(services, actor), now: services.clock.now(), field: 'name' }
    return await findOrInsertFolder(services.db, actor.userId, folder, taking)
  }
)

export const updateFolder = operation(
  'updateFolder',
  async (
    { db, clock }: Needs<'db' | 'clock'>,
    actor,
    folderId: string,
    { sort_order: sortOrder, ...change }: FolderPatch
  ): Promise<Folder> => {
    const changed = updateFolderRow(db, actor.userId, folderId, { ...change, sortOrder }, clock.now())
    return (await changed.catch(throwNameTaken)) ?? throwNotFound('Folder')
  }
)

/** Sets `last_opened_at`. */
export const markFolderOpened = operation(
  'markFolderOpened',
  async ({ db, clock }: Needs<'db' | 'clock'>, actor, folderId: string): Promise<Folder> => {
    return (await setLastOpened(db, actor.userId, folderId, clock.now())) ?? throwNotFound('Folder')
  }
)

/** Deletes a folder and keeps its sessions. */
export const deleteFolder = operation(
  'deleteFolder',
  async ({ db }: Needs<'db'>, actor, folderId: string): Promise<void> => {
    if (!(await deleteFolderRow(db, actor.userId, folderId))) throwNotFound('Folder')
  }
)

/** Adds a session to a folder. Repeating it changes nothing, not even `updated_at` of the folder. */
export const addSessionToFolder = operation(
  'addSessionToFolder',
  async (
    services: Needs<'db' | 'clock'>,
    actor,
    sessionId: string,
    folderId: string
  ): Promise<FolderMembershipResponse> => {
    return await changeMembership(services, actor.userId, sessionId, folderId, true)
  }
)

/** The same for a folder that is given by id or by name. */
export const addSessionToNamedFolder = operation(
  'addSessionToFolder',
  async (
    services: Pick<Services, 'db' | 'clock'>,
    actor,
    sessionId: string,
    folder: string
  ): Promise<FolderMembershipResponse> => {
    const folderId = await requireFolderId(services.db, actor.userId, folder)
    return await changeMembership(services, actor.userId, sessionId, folderId, true)
  }
)

/** Removes a session from a folder and keeps it. Repeating it changes nothing. */
export const removeSessionFromFolder = operation(
  'removeSessionFromFolder',
  async (
    services: Needs<'db' | 'clock'>,
    actor,
    sessionId: string,
    folderId: string
  ): Promise<FolderMembershipResponse> => {
    return await changeMembership(services, actor.userId, sessionId, folderId, false)
  }
)

async function changeMembership(
  { db, clock }: Needs<'db' | 'clock'>,
  userId: string,
  sessionId: string,
  folderId: string,
  member: boolean
) {
  return await db.transaction(async tx => {
    // While the session is locked, it cannot become listed or unlisted.
    const session = (await lockSession(tx, userId, sessionId)) ?? throwNotFound('Session')
    if (!(await lockFolder(tx, userId, folderId))) throwNotFound('Folder')
    const changed = member
      ? await linkSession(tx, userId, session, folderId)
      : await unlinkSession(tx, userId, sessionId, folderId)
    const by = session.state !== 'completed' ? 0 : member ? 1 : -1
    if (changed) await countMembers(tx, userId, folderId, by, clock.now())
    return { session_id: sessionId, folder_id: folderId, folder_ids: await listFolderIds(tx, userId, sessionId) }
  })
}

function throwNameTaken(error: unknown): never {
  if (!violates(error, 'folders_name_key')) throw error
  throw invalid({ field: 'name', problem: 'another folder has this name', expected: 'a different one' })
}
