import type { Scope } from '../contract/scopes.ts'

/** The owner and scopes of the request's token. */
export interface Caller {
  userId: string
  tokenId: string
  scopes: ReadonlySet<Scope>
}
