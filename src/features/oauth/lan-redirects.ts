import { isLanRedirect } from '../../contract/oauth.ts'
import type { Needs } from '../services.ts'

/** Returns why a redirect URI is refused: it leads over http into a local network, and the operator has not allowed that. */
export function lanProblem({ oauth }: Needs<'oauth'>, redirectUri: string): string | undefined {
  if (oauth.lanRedirects || !isLanRedirect(redirectUri)) return undefined
  return 'it leads over http into a local network, which the operator of this server has to allow by OAUTH_LAN_REDIRECTS=on'
}
