import type { Audience } from '../../contract/oauth.ts'
import type { Scope } from '../../contract/scopes.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import { operation } from '../access/operation.ts'
import { findLastUses } from '../access/tokens.ts'
import type { Needs, Services } from '../services.ts'
import { endGrant, findGrant, selectConnected } from './grants.ts'

/** An agent that is connected. */
export interface ConnectedAgent {
  id: string
  name: string
  client_id: string
  redirect_uri: string
  scopes: Scope[]
  audience: Audience
  connected_at: string
  last_used_at: string | null
}

/** Lists the agents that the user has connected, the newest first. */
export const listAgents = operation(
  'listAgents',
  async ({ db, clock }: Pick<Services, 'db' | 'clock'>, actor): Promise<ConnectedAgent[]> => {
    const connected = await selectConnected(db, actor.userId, clock.now())
    const lastUses = await findLastUses(
      db,
      connected.map(({ grant }) => grant.tokenId)
    )
    return connected.map(
      ({ grant: { tokenId, clientName, clientId, redirectUri, scopes, audience }, connectedAt }) => ({
        id: tokenId,
        name: clientName,
        client_id: clientId,
        redirect_uri: redirectUri,
        scopes,
        audience,
        connected_at: connectedAt.toISOString(),
        last_used_at: lastUses.get(tokenId) ?? null
      })
    )
  }
)

/** Ends the connection of an agent, on every server. Repeating it changes nothing. */
export const endAgent = operation(
  'endAgent',
  async ({ db, clock }: Needs<'db' | 'clock'>, actor, id: string): Promise<void> => {
    if (!(await findGrant(db, actor.userId, id))) throwNotFound('Agent')
    await db.transaction(async tx => void (await endGrant(tx, actor.userId, id, clock.now())))
  }
)
