import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { OPERATOR_FOLDER_ROUTES } from '../../contract/admin/folder-routes.ts'
import { FOLDER_ROUTES as routes } from '../../contract/routes/folders.ts'
import type { Services } from '../services.ts'
import {
  addSessionToFolder,
  createFolder,
  deleteFolder,
  getFolder,
  listFolders,
  markFolderOpened,
  removeSessionFromFolder,
  updateFolder
} from './operations.ts'

/** Folders over HTTP: for tokens below `/v1`, and for the operator below a user's path. */
export const foldersPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.listFolders,
    handler: ({ actor, query }) => listFolders(services, actor, query)
  })

  app.route({
    ...routes.getFolder,
    handler: ({ actor, params }) => getFolder(services, actor, params.id)
  })

  app.route({
    ...routes.createFolder,
    handler: ({ actor, body }, reply) =>
      reply.answerOnce(body, async services => ({ status: 201, body: await createFolder(services, actor, body) }))
  })

  app.route({
    ...routes.updateFolder,
    handler: ({ actor, params, body }) => updateFolder(services, actor, params.id, body)
  })

  app.route({
    ...routes.deleteFolder,
    handler: async ({ actor, params }, reply) => {
      await deleteFolder(services, actor, params.id)
      reply.code(204)
    }
  })

  app.route({
    ...routes.addSessionToFolder,
    handler: ({ actor, params }) => addSessionToFolder(services, actor, params.id, params.folderId)
  })

  app.route({
    ...routes.removeSessionFromFolder,
    handler: ({ actor, params }) => removeSessionFromFolder(services, actor, params.id, params.folderId)
  })
}

/** The same for the operator, who also says that the user has opened a folder. */
export const operatorFoldersPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  await app.register(foldersPlugin, { services })

  app.route({
    ...OPERATOR_FOLDER_ROUTES.markFolderOpened,
    handler: ({ actor, params }) => markFolderOpened(services, actor, params.folder_id)
  })
}
