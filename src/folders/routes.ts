import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { sessionId } from '../contract/common.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { Folder, FolderCreate, FolderList, FolderMembershipResponse, FolderPatch } from '../contract/folder.ts'
import { IdempotencyHeaders } from '../contract/idempotency.ts'
import { REQUESTS } from '../contract/request-examples.ts'
import { invalid, throwNotFound } from '../core/api-error.ts'
import { violates } from '../db/errors.ts'
import type { Services } from '../services.ts'
import { changeMembership } from './membership.ts'
import { createFolder, deleteFolder, findFolder, listFolders, updateFolder } from './queries.ts'

const tags = ['Folders']
const readers = ['folders:read', 'sessions:read'] as const
const writers = ['folders:write'] as const
const folderId = z.string().meta({ description: 'The id of the folder.', examples: ['fld_01m7x2c9w1f6nbsk0h7v3q8zde'] })
const params = z.object({ id: folderId })
const pair = z.object({ id: sessionId, folderId })

export const folderRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, clock }) => {
  app.get(
    '/folders',
    {
      config: { scopes: readers, example: EXAMPLES.folderList, headers: ['ETag'] },
      schema: {
        operationId: 'listFolders',
        tags,
        summary: 'List folders',
        description: 'All folders in display order: pinned first, then by `order`, then by name.',
        response: { 200: FolderList }
      }
    },
    async ({ actor }) => ({ folders: await listFolders(db, actor.userId) })
  )

  app.get(
    '/folders/:id',
    {
      config: { scopes: readers, example: EXAMPLES.folder, headers: ['ETag'] },
      schema: {
        operationId: 'getFolder',
        tags,
        summary: 'Get a folder',
        description: 'One folder. List its sessions with `GET /v1/sessions?folder=`.',
        params,
        response: { 200: Folder }
      }
    },
    async ({ actor, params: { id } }) => (await findFolder(db, actor.userId, id)) ?? throwNotFound('Folder')
  )

  app.post(
    '/folders',
    {
      config: { request: REQUESTS.folder, scopes: writers, example: EXAMPLES.folder },
      schema: {
        operationId: 'createFolder',
        tags,
        summary: 'Create a folder',
        description:
          'If a folder with this name exists in any case, returns that folder unchanged. The call is safe to repeat.',
        headers: IdempotencyHeaders,
        body: FolderCreate,
        response: { 201: Folder }
      }
    },
    async ({ actor, body }, reply) =>
      await reply.answerOnce(body, async db => ({
        status: 201,
        body: await createFolder(db, actor.userId, body, clock.now())
      }))
  )

  app.patch(
    '/folders/:id',
    {
      config: { request: REQUESTS.folderChange, scopes: writers, example: EXAMPLES.folder },
      schema: {
        operationId: 'updateFolder',
        tags,
        summary: 'Change a folder',
        description: 'Changes the sent fields. Its sessions stay in the folder.',
        params,
        body: FolderPatch,
        response: { 200: Folder }
      }
    },
    async ({ actor, params: { id }, body: { sort_order: sortOrder, ...change } }) => {
      const changed = await updateFolder(db, actor.userId, id, { ...change, sortOrder }, clock.now()).catch(nameTaken)
      return changed ?? throwNotFound('Folder')
    }
  )

  app.delete(
    '/folders/:id',
    {
      config: { scopes: writers },
      schema: {
        operationId: 'deleteFolder',
        tags,
        summary: 'Delete a folder',
        description: 'Deletes the folder and keeps its sessions.',
        params,
        response: { 204: z.undefined() }
      }
    },
    async ({ actor, params: { id } }, reply) => {
      if (!(await deleteFolder(db, actor.userId, id))) throwNotFound('Folder')
      reply.code(204)
    }
  )

  app.post(
    '/sessions/:id/folders/:folderId',
    {
      config: { scopes: writers, example: EXAMPLES.folderMembership },
      schema: {
        operationId: 'addSessionToFolder',
        tags,
        summary: 'Add a session to a folder',
        description: 'A session may be in many folders. Adding it again changes nothing.',
        params: pair,
        response: { 200: FolderMembershipResponse }
      }
    },
    ({ actor, params: { id, folderId } }) => changeMembership(db, actor.userId, id, folderId, true, clock.now())
  )

  app.delete(
    '/sessions/:id/folders/:folderId',
    {
      config: { scopes: writers, example: EXAMPLES.folderMembership },
      schema: {
        operationId: 'removeSessionFromFolder',
        tags,
        summary: 'Remove a session from a folder',
        description: 'Removes the session from the folder and keeps the session. Repeating it changes nothing.',
        params: pair,
        response: { 200: FolderMembershipResponse }
      }
    },
    ({ actor, params: { id, folderId } }) => changeMembership(db, actor.userId, id, folderId, false, clock.now())
  )
}

function nameTaken(error: unknown): never {
  throw violates(error, 'folders_name_key')
    ? invalid({ field: 'name', problem: 'another folder has this name', expected: 'a different one' })
    : error
}
