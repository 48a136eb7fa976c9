import { EXAMPLES } from '../examples.ts'
import { Folder } from '../folder.ts'
import { OPERATIONS } from '../operations.ts'
import { folderId } from '../routes/folders.ts'
import type { RouteDescription } from '../routes/route.ts'
import { UserPath } from './user.ts'

/** Routes of the admin API alone. */
export const OPERATOR_FOLDER_ROUTES = {
  markFolderOpened: {
    method: 'POST',
    url: '/folders/:folder_id/opened',
    config: {
      scopes: OPERATIONS.markFolderOpened,
      openapi: { example: { ...EXAMPLES.folder, last_opened_at: '2026-03-02T10:00:00.000Z' } }
    },
    schema: {
      operationId: 'markFolderOpened',
      tags: ['Folders'],
      summary: 'Mark a folder as opened',
      description: 'Updates only `last_opened_at`.',
      params: UserPath.extend({ folder_id: folderId }),
      response: { 200: Folder }
    }
  }
} satisfies Record<string, RouteDescription>
