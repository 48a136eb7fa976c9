import { z } from 'zod'
import { emailAddress } from './email.ts'
import { LIMITS } from './limits.ts'

/** How an address without a user becomes one by signing in: never, if it accepted an invite, or always. */
export const SIGN_UP = ['closed', 'invited', 'open'] as const
export type SignUp = (typeof SIGN_UP)[number]

/** A path of this server with its query, to go to after a sign-in. Anything that a browser could read as another host is refused. */
export const localPath = z.string().max(LIMITS.signIn.path).refine(isLocalPath, 'a path of this server')

function isLocalPath(text: string) {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes('\\')) return false
  return (
    URL.canParse(text, 'http://here.invalid') && new URL(text, 'http://here.invalid').origin === 'http://here.invalid'
  )
}

/** The fields of the form that asks for a link. */
export const SignInRequest = z.object({ email: emailAddress })
export type SignInRequest = z.output<typeof SignInRequest>
