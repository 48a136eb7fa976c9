import { sql } from '../../platform/db/drizzle.ts'

/**
 * The bytes of a stored transcript, compressed, that are read on the connections which all requests share: a conversation of about ten hours.
 * A longer one takes a tenth of a second and more, in which the statements behind it would wait.
 */
const SHORT_BYTES = 256 * 1024

/** The segments of the transcript `t` as JSON; null if they are long. Compares the stored size, which is known without reading them. */
export const SHORT_SEGMENTS = sql.raw(
  `case when coalesce(pg_column_size(t.segments), 0) <= ${SHORT_BYTES} then coalesce(t.segments, '[]')::text end`
)
