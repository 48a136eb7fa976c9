import { throwNotFound } from '../../../platform/core/api-error.ts'
import { operation } from '../../access/operation.ts'
import { lockUser } from '../../access/queries.ts'
import type { Needs } from '../../services.ts'
import { openSignedIn, type SignedIn } from '../sign-in.ts'
import { hashCookie } from '../sign-in-link.ts'
import { useUpSignIn } from '../sign-in-links.ts'
import { readFlow, startFlow } from './flow.ts'
import { admitIdentity, forgetIdentities } from './identities.ts'
import { SignInRefused } from './refusal.ts'

/** Starts a sign-in at the provider in a browser. Returns the address to which it leads there. Throws SignInRefused. */
export async function startProviderSignIn(
  { oidc, clock, secretKey }: Needs<'oidc' | 'clock' | 'secretKey'>,
  browser: string
): Promise<URL> {
  const provider = oidc ?? throwNotFound('Provider')
  const flow = startFlow(secretKey, browser, clock.now())
  return await provider.authorize(flow).catch((error: unknown) => nameFlow(error, flow.id))
}

/**
 * Signs a browser in by the answer of the provider, which is used up. Throws SignInRefused for an answer that is not of a sign-in
 * that this browser started, and for a person who may not sign in.
 */
export async function signInByProvider(
  { oidc, db, clock, secretKey, signUp }: Needs<'oidc' | 'db' | 'clock' | 'secretKey' | 'signUp'>,
  answer: URLSearchParams,
  browser: string | undefined
): Promise<SignedIn> {
  const provider = oidc ?? throwNotFound('Provider')
  const started =
    browser === undefined ? undefined : readFlow(secretKey, browser, answer.get('state') ?? '', clock.now())
  if (browser === undefined || !started) throw new SignInRefused('ended')
  try {
    // Before the provider is asked: two tabs with one answer must not both go on.
    const isFirst = await useUpSignIn(db, started.id, { browser: hashCookie(browser), now: clock.now() })
    if (!isFirst) throw new SignInRefused('ended', 'used')
    const identity = await provider.identify(answer, started)
    const now = clock.now()
    return await db.transaction(async tx => {
      const { userId, guest } = await admitIdentity(tx, identity, { signUp, now })
      return await openSignedIn(tx, { userId, guest, secretKey, now })
    })
  } catch (error) {
    return nameFlow(error, started.id)
  }
}

function nameFlow(error: unknown, flowId: string): never {
  if (error instanceof SignInRefused) error.flowId = flowId
  throw error
}

/** Lets the user's address decide again who signs in as them at the provider. For an account there that was made anew. */
export const unlinkProvider = operation(
  'unlinkProvider',
  async ({ db }: Needs<'db'>, actor): Promise<{ unlinked: number }> => {
    return await db.transaction(async tx => {
      if (!(await lockUser(tx, actor.userId))) throwNotFound('User')
      return { unlinked: await forgetIdentities(tx, actor.userId) }
    })
  }
)
