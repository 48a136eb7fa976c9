/** The table that a database has while it is the target of a move. It is created before anything else and dropped with the commit of all rows. */
export const UNFINISHED = 'parlance_move.unfinished'

/** The error of whatever else opens the target of a move that is running or was interrupted. */
export const UNFINISHED_MOVE =
  'The database is the target of a move that did not finish, so it has no data yet; repeat the move: npm run -s parlance -- move --to postgres://…'
