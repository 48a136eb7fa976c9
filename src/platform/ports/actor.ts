import type { Audience } from '../../contract/oauth.ts'
import type { Scope } from '../../contract/scopes.ts'

/** The user that asks for an operation, with what they may do and the door they came through. */
export interface Actor {
  userId: string
  scopes: ReadonlySet<Scope>
  /** The id of the token, where one was sent. */
  tokenId?: string
  /** True for a browser that may only read what is shared. */
  guest?: boolean
  via: 'token' | 'oauth' | 'console' | 'admin' | 'command'
}

/** An actor that authenticated with a token. */
export interface TokenActor extends Actor {
  tokenId: string
  /** The audience of an agent's token. */
  audience?: Audience
}
