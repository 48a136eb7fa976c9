import { OPERATIONS, type Operation } from '../../contract/operations.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import { requireOwner, requireScope } from './actor.ts'

/**
 * Makes an operation, which checks by its name whether the actor may ask for it before it does anything. So no door can skip the check, whatever
 * it has checked itself.
 */
export function operation<Services, Input extends unknown[], Result>(
  name: Operation,
  run: (services: Services, actor: Actor, ...input: Input) => Promise<Result>
) {
  const required = OPERATIONS[name]
  return async (services: Services, actor: Actor, ...input: Input): Promise<Result> => {
    if (required === 'owner') requireOwner(actor)
    else requireScope(actor, ...required)
    return await run(boundTo(services, actor.userId), actor, ...input)
  }
}

/** The services, whose transactions count as the actor's while they wait: nobody's burst takes the places of others. */
function boundTo<Services>(services: Services, userId: string): Services {
  return hasDatabase(services) ? { ...services, db: services.db.ofOwner(userId) } : services
}

function hasDatabase<Services>(services: Services): services is Services & { db: Db } {
  return typeof services === 'object' && services !== null && 'db' in services
}
