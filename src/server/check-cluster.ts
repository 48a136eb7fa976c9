import { OperatorError } from '../platform/core/operator-error.ts'
import { findUndistributed } from '../platform/db/migrate.ts'
import type { OpenDatabase } from '../platform/db/open.ts'
import { askNodes } from '../platform/db/shards.ts'

/** Describes the cluster over which the tables are distributed. Throws an OperatorError while a node is away, or has not got every table. */
export async function checkCluster({ pool, address }: Pick<OpenDatabase, 'pool' | 'address'>) {
  const nodes = await askNodes(pool)
  const away = nodes.filter(({ problem }) => problem !== undefined)
  if (away.length > 0)
    throw new OperatorError(
      `${away.map(({ address: node }) => node).join(' and ')} of ${nodes.length} nodes do not answer; requests of their owners are refused until they do`
    )
  const undistributed = await findUndistributed(address)
  if (undistributed.length > 0)
    throw new OperatorError(`Not distributed: ${undistributed.join(', ')}; run: npm run -s parlance -- distribute`)
  return `${nodes.length} nodes answer: ${nodes.map(({ address: node }) => node).join(', ')}`
}
