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
  app.get('/folders', routes.listFolders, ({ actor, query }) => listFolders(services, actor, query))

  app.get('/folders/:id', routes.getFolder, ({ actor, params }) => getFolder(services, actor, params.id))

  app.post('/folders', routes.createFolder, ({ actor, body }, reply) =>
    reply.answerOnce(body, async services => ({ status: 201, body: await createFolder(services, actor, body) }))
  )

  app.patch('/folders/:id', routes.updateFolder, ({ actor, params, body }) =>
    updateFolder(services, actor, params.id, body)
  )

  app.delete('/folders/:id', routes.deleteFolder, async ({ actor, params }, reply) => {
    await deleteFolder(services, actor, params.id)
    reply.code(204)
  })

  app.post('/sessions/:id/folders/:folderId', routes.addSessionToFolder, ({ actor, params }) =>
    addSessionToFolder(services, actor, params.id, params.folderId)
  )

  app.delete('/sessions/:id/folders/:folderId', routes.removeSessionFromFolder, ({ actor, params }) =>
    removeSessionFromFolder(services, actor, params.id, params.folderId)
  )
}

/** The same for the operator, who also says that the user has opened a folder. */
export const operatorFoldersPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  await app.register(foldersPlugin, { services })

  app.post('/folders/:folder_id/opened', OPERATOR_FOLDER_ROUTES.markFolderOpened, ({ actor, params }) =>
    markFolderOpened(services, actor, params.folder_id)
  )
}
