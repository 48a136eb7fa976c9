import { isLanRedirect, isLoopback } from '../../contract/oauth.ts'

/** The receiver of a client's answers, in words: the part of its redirect URI that says whom they reach. */
export function placeOf(redirectUri: string) {
  if (isLoopback(redirectUri)) return 'a program on your computer'
  const { protocol, host } = new URL(redirectUri)
  if (isLanRedirect(redirectUri)) return `${host} in the local network`
  return protocol === 'https:' ? host : `the app that opens ${protocol} links`
}
