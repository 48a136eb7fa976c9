import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { UserPath } from '../../contract/admin/user.ts'
import { everyScope } from '../../features/access/actor.ts'
import { findUser } from '../../features/access/queries.ts'
import type { Services } from '../../features/services.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'

/**
 * Below the path of a user the operator acts for that user, with every scope. Call it before the routes are registered: it adds `user_id` to
 * the path of those that `/v1` has too.
 */
export function actForUsers(app: FastifyInstance, { db }: Pick<Services, 'db'>) {
  app.addHook('onRoute', route => {
    if (!route.url.includes('/:user_id')) return
    const { params } = route.schema ?? {}
    route.schema = { ...route.schema, params: params instanceof z.ZodObject ? params.extend(UserPath.shape) : UserPath }
  })
  app.decorateRequest('actor')
  app.addHook('preHandler', async request => {
    const { user_id: userId } = Object(request.params)
    if (typeof userId !== 'string') return
    if (!(await findUser(db, userId))) throwNotFound('User')
    request.actor = everyScope(userId, 'admin')
  })
}
