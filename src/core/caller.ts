import type { Scope } from '../contract/scopes.ts'

/** Who sent the request, by its token. */
export interface Caller {
  userId: string
  tokenId: string
  scopes: ReadonlySet<Scope>
}
