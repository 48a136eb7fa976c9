import { OPERATIONS, type Operation } from '../../contract/operations.ts'
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
    return await run(services, actor, ...input)
  }
}
