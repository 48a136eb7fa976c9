import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { UserPath } from '../contract/admin/user.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { Folder } from '../contract/folder.ts'
import { markFolderOpened } from '../folders/operations.ts'
import type { Services } from '../services.ts'

export const adminFolderRoutes: FastifyPluginAsyncZod<Services> = async (app, services) => {
  app.post(
    '/users/:user_id/folders/:folder_id/opened',
    {
      config: { example: { ...EXAMPLES.folder, last_opened_at: '2026-03-02T10:00:00.000Z' } },
      schema: {
        operationId: 'markFolderOpened',
        tags: ['Folders'],
        summary: 'Mark a folder as opened',
        description: 'Updates only `last_opened_at`.',
        params: UserPath.extend({ folder_id: z.string().meta({ description: 'The id of the folder.' }) }),
        response: { 200: Folder }
      }
    },
    ({ actor, params: { folder_id } }) => markFolderOpened(services, actor, folder_id)
  )
}
