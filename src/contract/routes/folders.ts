import { z } from 'zod'
import { pathId, sessionId } from '../common.ts'
import { EXAMPLES } from '../examples.ts'
import { Folder, FolderCreate, FolderList, FolderMembershipResponse, FolderPatch, FoldersQuery } from '../folder.ts'
import { IdempotencyHeaders } from '../idempotency.ts'
import { OPERATIONS } from '../operations.ts'
import { REQUESTS } from '../request-examples.ts'
import type { RouteDescription } from './route.ts'

const tags = ['Folders']

export const folderId = pathId('The id of the folder.', 'fld_01m7x2c9w1f6nbsk0h7v3q8zde')
const params = z.object({ id: folderId })
const pair = z.object({ id: sessionId, folderId })

export const FOLDER_ROUTES = {
  listFolders: {
    method: 'GET',
    url: '/folders',
    config: {
      scopes: OPERATIONS.listFolders,
      headers: ['ETag', 'Link'],
      longList: 'folders',
      openapi: { example: EXAMPLES.folderList }
    },
    schema: {
      operationId: 'listFolders',
      tags,
      summary: 'List folders',
      description:
        'Folders in display order: pinned first, then by `order`, then by name. All of them in one answer, or in pages if you send `limit`.',
      querystring: FoldersQuery,
      response: { 200: FolderList }
    }
  },
  getFolder: {
    method: 'GET',
    url: '/folders/:id',
    config: { scopes: OPERATIONS.getFolder, headers: ['ETag'], openapi: { example: EXAMPLES.folder } },
    schema: {
      operationId: 'getFolder',
      tags,
      summary: 'Get a folder',
      description: 'One folder. List its sessions with `GET /v1/sessions?folder=`.',
      params,
      response: { 200: Folder }
    }
  },
  createFolder: {
    method: 'POST',
    url: '/folders',
    config: {
      scopes: OPERATIONS.createFolder,
      openapi: { request: REQUESTS.folder, errors: ['limit_exceeded'], example: EXAMPLES.folder }
    },
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
  updateFolder: {
    method: 'PATCH',
    url: '/folders/:id',
    config: { scopes: OPERATIONS.updateFolder, openapi: { request: REQUESTS.folderChange, example: EXAMPLES.folder } },
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
  deleteFolder: {
    method: 'DELETE',
    url: '/folders/:id',
    config: { scopes: OPERATIONS.deleteFolder },
    schema: {
      operationId: 'deleteFolder',
      tags,
      summary: 'Delete a folder',
      description: 'Deletes the folder and keeps its sessions.',
      params,
      response: { 204: z.undefined() }
    }
  },
  addSessionToFolder: {
    method: 'POST',
    url: '/sessions/:id/folders/:folderId',
    config: { scopes: OPERATIONS.addSessionToFolder, openapi: { example: EXAMPLES.folderMembership } },
    schema: {
      operationId: 'addSessionToFolder',
      tags,
      summary: 'Add a session to a folder',
      description: 'A session may be in many folders. Adding it again changes nothing.',
      params: pair,
      response: { 200: FolderMembershipResponse }
    }
  },
  removeSessionFromFolder: {
    method: 'DELETE',
    url: '/sessions/:id/folders/:folderId',
    config: { scopes: OPERATIONS.removeSessionFromFolder, openapi: { example: EXAMPLES.folderMembership } },
    schema: {
      operationId: 'removeSessionFromFolder',
      tags,
      summary: 'Remove a session from a folder',
      description: 'Removes the session from the folder and keeps the session. Repeating it changes nothing.',
      params: pair,
      response: { 200: FolderMembershipResponse }
    }
  }
} satisfies Record<string, RouteDescription>
