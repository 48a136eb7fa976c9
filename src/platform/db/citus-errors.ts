import { codeOf } from '../core/error-code.ts'

/*
 * Citus reports the loss of a node, and the rule that a shard's row broke, under the codes of other errors. Only its messages tell.
 */

const INTERNAL_ERROR = 'XX000'

/** Messages that say that a node is lost. None has values of a statement. */
const NODE_LOST = new RegExp(
  `^(${[
    'could not commit transaction for shard',
    'failed to prepare transaction',
    'failure on connection marked as essential',
    'execution cannot recover from multiple connection failures',
    'server closed the connection unexpectedly',
    'could not (receive data from|send data to) server',
    'SSL (SYSCALL error|connection has been closed)',
    '(FATAL: +)?terminating connection',
    'Connection re(fused|set)'
  ].join('|')})`,
  'i'
)

/** Returns whether the coordinator lost a node. */
export function isNodeLost(error: Error) {
  return codeOf(error) === INTERNAL_ERROR && NODE_LOST.test(error.message)
}

/** Returns whether a statement broke that rule. A shard's rule has a number at its end, and is sometimes named in the message only. */
export function namesConstraint(error: Error, constraint: string) {
  const named = 'constraint' in error && error.constraint ? `"${error.constraint}"` : error.message
  return new RegExp(`"${constraint}(_\\d+)?"`).test(named)
}
