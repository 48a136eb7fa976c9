import Fastify, { type FastifyBaseLogger, type FastifyReply, LogController } from 'fastify'
import { userExists } from '../accounts/queries.ts'
import { callRoutes } from '../app/call-routes.ts'
import type { AppDeps } from '../app/deps.ts'
import { appFolderRoutes } from '../app/folder-routes.ts'
import { importRoutes } from '../app/import-routes.ts'
import { personRoutes } from '../app/person-routes.ts'
import { appSessionRoutes } from '../app/session-routes.ts'
import { appShareRoutes } from '../app/share-routes.ts'
import { tokenRoutes } from '../app/token-routes.ts'
import { userRoutes } from '../app/user-routes.ts'
import { LIMITS } from '../contract/limits.ts'
import { notFound } from '../core/api-error.ts'
import { APP_API } from './app-description.ts'
import { type KeyOptions, requireKey } from './app-key.ts'
import { answerFrameworkError } from './errors.ts'
import { answerHeaders, layFloor, requestId } from './floor.ts'
import { describeApi, openapiRoute } from './openapi.ts'
import { refuseUnstorableText } from './text.ts'

export interface AppApiOptions extends KeyOptions {
  logger?: FastifyBaseLogger
}

/** The API of first-party apps: every path starts with /app/v1. It does not listen itself; the admin port hands requests over. */
export async function buildAppApi(deps: AppDeps, { logger, ...keyOptions }: AppApiOptions) {
  const app = Fastify({
    ...(logger && { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: LIMITS.bodyBytes,
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    genReqId: requestId,
    return503OnClosing: false,
    handlerTimeout: 30_000,
    frameworkErrors: (fault, request, reply: FastifyReply) => answerFrameworkError(fault, request, reply, answerHeaders(request.id))
  })
  layFloor(app)
  requireKey(app, deps.clock, keyOptions)
  refuseUnstorableText(app)
  app.decorateRequest('forUser')
  app.addHook('preHandler', async request => {
    const { user_id: userId } = Object(request.params)
    if (typeof userId !== 'string') return
    if (!(await userExists(deps.db, userId))) throw notFound('User')
    request.forUser = userId
  })

  await describeApi(app, APP_API)
  await app.register(
    async v1 => {
      await v1.register(userRoutes, deps)
      await v1.register(tokenRoutes, deps)
      await v1.register(importRoutes, deps)
      await v1.register(appSessionRoutes, deps)
      await v1.register(callRoutes, deps)
      await v1.register(personRoutes, deps)
      await v1.register(appFolderRoutes, deps)
      await v1.register(appShareRoutes, deps)
      await v1.register(openapiRoute)
    },
    { prefix: '/app/v1' }
  )
  return app
}
