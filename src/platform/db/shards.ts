import type pg from 'pg'
import { isDistributed } from './distribute.ts'

type Client = Pick<pg.ClientBase, 'query'>

/** Each node runs the command by itself and outside of any transaction, as `create index concurrently` requires. */
const RUN = `
  select success, result from pg_dist_node n
  cross join lateral master_run_on_worker(array[n.nodename::text], array[n.nodeport], array[$1], false)
  where n.isactive and n.noderole = 'primary' and n.shouldhaveshards and ($2::int is null or n.groupid = $2)`

/** The timeout of pg does not apply, because building an index takes hours. */
const PATIENT = { query_timeout: 2 ** 31 - 1 }

/** Runs a command on each node with shards, or on the one server without a cluster. Returns one value of each, as text. */
export async function runOnNodes(client: Client, command: string): Promise<string[]> {
  if (await isDistributed(client)) return await runOn(client, command)
  const { rows } = await client.query({ text: command, rowMode: 'array' })
  return rows.map(([value]) => String(value))
}

/** The nodes with shards of a cluster, each with what it answers to a statement. */
const NODES = `
  select format('%s:%s', n.nodename, n.nodeport) as address, success, result from pg_dist_node n
  cross join lateral master_run_on_worker(array[n.nodename::text], array[n.nodeport], array['select 1'], false)
  where n.isactive and n.noderole = 'primary' and n.shouldhaveshards order by 1`

/** Returns the nodes with shards of a cluster, and why those do not answer that are away. Empty without a cluster. */
export async function askNodes(client: Client): Promise<{ address: string; problem?: string }[]> {
  if (!(await isDistributed(client))) return []
  const { rows } = await client.query<{ address: string; success: boolean; result: string }>(NODES)
  return rows.map(({ address, success, result }) => ({ address, ...(!success && { problem: result }) }))
}

/** Throws while a node of a cluster is away. */
export async function requireNodes(client: Client) {
  const away = (await askNodes(client)).find(({ problem }) => problem !== undefined)
  if (away) throw new Error(`The node ${away.address} does not answer`)
}

/** Runs a command at the node of the owner's rows. It gets the name of the table there, which is a shard's on a cluster. */
export async function runAtOwner(client: Client, userId: string, table: string, command: (name: string) => string) {
  if (!(await isDistributed(client))) return void (await client.query({ text: command(table), ...PATIENT }))
  const { rows } = await client.query(
    `select groupid, shardid::text from pg_dist_placement where shardid = get_shard_id_for_distribution_column($1::regclass, $2::text)`,
    [table, userId]
  )
  await runOn(client, command(`${table}_${rows[0]?.shardid}`), rows[0]?.groupid)
}

async function runOn(client: Client, command: string, group?: number) {
  const { rows } = await client.query<{ success: boolean; result: string }>({
    text: RUN,
    values: [command, group],
    ...PATIENT
  })
  const failed = rows.find(({ success }) => !success)
  if (failed) throw new Error(failed.result)
  return rows.map(({ result }) => result)
}
