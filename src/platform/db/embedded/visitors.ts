import type { PGlite } from '@electric-sql/pglite'
import { escapeLiteral } from '../literal.ts'
import { VALUE_SETTINGS } from '../settings.ts'

export interface Client {
  /** True for another program than Parlance, such as psql or pg_dump. */
  isVisitor: boolean
  /** The message that prepares each statement of this client, by the name that the engine knows. */
  prepared: Map<string, Uint8Array>
}

/** `transaction_isolation` and its like belong to the transaction. The last two are no rows of pg_settings. */
const CHANGED_SETTINGS = `
  select name, setting as value from pg_settings where source in ('client', 'session') and name !~ '^transaction_(?!timeout)'
  union all select 'session_authorization', session_user
  union all select 'role', current_setting('role')`

/** The engine starts without a login, so there is no role that `reset session authorization` would return to. */
const OWN_ROLE = 'set session authorization postgres; set role none'

/** Set rather than started with, because settings of the role and of the database would win. */
export const OWN_SETTINGS = Object.entries({
  ...VALUE_SETTINGS,
  // A plan that is cached while a table is nearly empty would read the whole table later. Connections to a server have this setting too.
  enable_seqscan: 'off',
  // Temporary tables of a visitor come last, so that one named as ours does not replace it.
  search_path: 'public, pg_temp'
})
  .map(([name, value]) => `set ${name} to ${name === 'search_path' ? value : escapeLiteral(value)}`)
  .join('; ')

const SYNC = Buffer.from([0x53, 0, 0, 0, 4])

/**
 * Keeps what a visitor does to the one session away from the other clients: its settings, its role, temporary tables named as ours, and
 * statements that it deallocates. A visitor gets its own settings back with its next turn. Parlance's own clients change nothing that
 * outlives a transaction, so turns between them cost nothing.
 */
export function openVisitors(engine: PGlite, clients: Iterable<Client>) {
  /** The visitor whose state the session has. */
  let current: Client | undefined
  const changed = new WeakMap<Client, string>()

  /** Prepares what the clients have prepared and the session has lost. */
  async function prepareAgain() {
    const { rows } = await engine.query<{ name: string }>('select name from pg_prepared_statements')
    const known = new Set(rows.map(({ name }) => name))
    for (const { prepared } of clients)
      for (const [name, message] of prepared)
        if (!known.has(name)) await engine.execProtocolRaw(Buffer.concat([message, SYNC]))
  }

  return {
    /** Makes the session that of the client, whose turn begins. */
    async enter(client: Client) {
      if (current === client) return
      if (current) {
        const found = await engine.query<{ name: string; value: string }>(CHANGED_SETTINGS).catch(() => undefined)
        changed.set(current, found?.rows.map(({ name, value }) => toSetConfig(name, value)).join(', ') ?? '')
        current = undefined
        await engine.exec(`${OWN_ROLE}; reset all; ${OWN_SETTINGS}`)
        await prepareAgain()
      }
      if (!client.isVisitor) return
      current = client
      const settings = changed.get(client)
      // One that it may no longer make, such as a role that is gone, is its own loss.
      if (settings) await engine.exec(`select ${settings}`).catch(() => {})
    },

    /** Removes everything that the visitor whose turn it is leaves in the session. */
    async leave() {
      current = undefined
      await engine.exec(OWN_ROLE)
      await engine.exec('discard all')
      await engine.exec(OWN_SETTINGS)
      await prepareAgain()
    }
  }
}

function toSetConfig(name: string, value: string) {
  return `set_config(${escapeLiteral(name)}, ${escapeLiteral(value)}, false)`
}
