import { expect, test } from 'vitest'
import type { Scope } from '../../../src/contract/scopes.ts'
import { consoleActor, everyScope } from '../../../src/features/access/actor.ts'
import { operation } from '../../../src/features/access/operation.ts'
import type { Actor } from '../../../src/platform/ports/actor.ts'

const withScopes = (...scopes: Scope[]): Actor => ({ userId: 'usr_1', scopes: new Set(scopes), via: 'token' })

/** An operation that says who asked, and how often it was run. */
function counted(name: Parameters<typeof operation>[0]) {
  const runs: string[] = []
  const run = operation(name, async (services: { prefix: string }, { userId }, suffix: string) => {
    runs.push(userId)
    return services.prefix + suffix
  })
  return { run: (actor: Actor) => run({ prefix: 'a' }, actor, 'b'), runs }
}

test.each([['folders:read'], ['sessions:read']] as const)(
  'any one scope of an operation is enough: %s',
  async scope => {
    expect(await counted('listFolders').run(withScopes(scope))).toBe('ab')
  }
)

test('without a scope of the operation nothing of it runs, and the error names its scopes', async () => {
  const { run, runs } = counted('listFolders')
  await expect(run(withScopes('folders:write', 'account:read'))).rejects.toMatchObject({
    code: 'insufficient_scope',
    message: 'The token lacks the scope folders:read or sessions:read'
  })
  expect(runs).toEqual([])
})

test('an operation of the owner runs for the user and for the operator', async () => {
  const { run, runs } = counted('createToken')
  await run(consoleActor('usr_2', { guest: false }))
  await run(everyScope('usr_3', 'admin'))
  expect(runs).toEqual(['usr_2', 'usr_3'])
})

test.each([
  [
    'a token of every scope',
    { ...everyScope('usr_4', 'admin'), via: 'token' as const },
    'A token cannot manage the account'
  ],
  ['a guest', consoleActor('usr_5', { guest: true }), 'A guest cannot manage an account']
])('an operation of the owner is refused to %s', async (_, actor, message) => {
  const { run, runs } = counted('createToken')
  await expect(run(actor)).rejects.toMatchObject({ code: 'insufficient_scope', message })
  expect(runs).toEqual([])
})
