import Fastify, { type FastifyBaseLogger, type FastifyReply } from 'fastify'
import { USER_PATH } from '../../contract/admin/routes.ts'
import { ADMIN_SESSION_ROUTES } from '../../contract/admin/session-routes.ts'
import { correctionsPlugin } from '../../features/corrections/plugin.ts'
import { operatorFoldersPlugin } from '../../features/folders/plugin.ts'
import { ingestPlugin } from '../../features/ingest/plugin.ts'
import { operatorPeoplePlugin } from '../../features/people/plugin.ts'
import { recordingsPlugin } from '../../features/recordings/plugin.ts'
import { searchPlugin } from '../../features/search/plugin.ts'
import type { Services } from '../../features/services.ts'
import { sessionsPlugin } from '../../features/sessions/plugin.ts'
import { operatorSharingPlugin } from '../../features/sharing/plugin.ts'
import { summariesPlugin } from '../../features/summaries/plugin.ts'
import { templatesPlugin } from '../../features/templates/plugin.ts'
import { termsPlugin } from '../../features/terms/plugin.ts'
import { transcriptsPlugin } from '../../features/transcripts/plugin.ts'
import { answerHeaders, baseOptions, installBase } from '../http/base.ts'
import { announceDeprecations } from '../http/deprecations.ts'
import { describeApi, openapiRoute } from '../http/document/openapi.ts'
import { answerFrameworkError } from '../http/errors.ts'
import { answerRequestsOnce } from '../http/idempotency.ts'
import { addReadHeaders } from '../http/reads.ts'
import { serializeLongLists } from '../http/transport/long-lists.ts'
import { meantUrl } from '../http/transport/meant-url.ts'
import { nameUnknownFields } from '../http/unknown-fields.ts'
import { refuseUnknownParameters } from '../http/validation.ts'
import { actForUsers } from './act-for-users.ts'
import { callsPlugin } from './call-routes.ts'
import { ADMIN_API } from './description.ts'
import { type KeyOptions, requireKey } from './key.ts'
import { operatorSessionsPlugin } from './session-routes.ts'
import { tokensPlugin } from './token-routes.ts'
import { usersPlugin } from './user-routes.ts'

export interface AdminApiOptions extends KeyOptions {
  logger?: FastifyBaseLogger
}

/** Builds the admin API: every path starts with /app/v1. It does not listen; the admin port passes requests on. */
export async function buildAdminApi(services: Services, { logger, ...keyOptions }: AdminApiOptions) {
  const app = Fastify({
    ...baseOptions(logger),
    rewriteUrl: ({ url = '/' }) => meantUrl(url, ''),
    frameworkErrors: (error, request, reply: FastifyReply) =>
      answerFrameworkError(error, request, reply, answerHeaders(request.id))
  })
  installBase(app, services)
  requireKey(app, services.clock, keyOptions)
  actForUsers(app, services)
  answerRequestsOnce(app, services, '')
  refuseUnknownParameters(app)
  addReadHeaders(app, services.publicUrl)
  // The admin port has no guides.
  announceDeprecations(app, () => services.publicUrl)
  nameUnknownFields(app)
  serializeLongLists(app)
  await describeApi(app, ADMIN_API)
  await app.register(
    async v1 => {
      await v1.register(usersPlugin, { services })
      await v1.register(tokensPlugin, { services })
      await v1.register(ingestPlugin, { services, prefix: USER_PATH })
      await v1.register(sessionsPlugin, { services, routes: ADMIN_SESSION_ROUTES, prefix: USER_PATH })
      await v1.register(transcriptsPlugin, { services, prefix: USER_PATH })
      await v1.register(correctionsPlugin, { services, prefix: USER_PATH })
      await v1.register(summariesPlugin, { services, prefix: USER_PATH })
      await v1.register(termsPlugin, { services, prefix: USER_PATH })
      await v1.register(templatesPlugin, { services, prefix: USER_PATH })
      await v1.register(recordingsPlugin, { services, prefix: USER_PATH })
      await v1.register(searchPlugin, { services, prefix: USER_PATH })
      await v1.register(operatorSessionsPlugin, { services, prefix: USER_PATH })
      await v1.register(callsPlugin, { services, prefix: USER_PATH })
      await v1.register(operatorPeoplePlugin, { services, prefix: USER_PATH })
      await v1.register(operatorFoldersPlugin, { services, prefix: USER_PATH })
      await v1.register(operatorSharingPlugin, { services, prefix: USER_PATH })
      await v1.register(openapiRoute, { serverUrlOf: () => '/' })
    },
    { prefix: '/app/v1' }
  )
  return app
}
