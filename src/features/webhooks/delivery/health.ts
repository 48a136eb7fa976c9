import { type SQL, sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { readInTime } from '../../../platform/db/read-in-time.ts'
import type { Needs } from '../../services.ts'

/** webhook_queue holds the due time of each webhook, so that finding the oldest does not read the deliveries. */
export const DELIVERIES = `
  select
    (select count(*) from webhook_deliveries where claim_id is null) as waiting,
    (select count(*) from webhook_deliveries where claim_id is not null) as sending,
    (select greatest(0, extract(epoch from $1::timestamptz - min(greatest(q.next_due, q.paused_until)))::float8)
      from webhook_queue q join webhooks w on w.user_id = q.user_id and w.webhook_id = q.webhook_id
      where w.active and q.next_due <= $1 and (q.paused_until > $1) is not true) as oldest`

/** A webhook whose last attempts failed. The rest of its URL may be a secret of its owner. */
interface FailingWebhook {
  user_id: string
  owner: string | null
  webhook_id: string
  host: string
  failures: number
  since: Date
  /** The HTTP status of the last answer. Null without an answer. */
  status: number | null
}

export interface DeliveryHealth {
  waiting: number
  sending: number
  /** The age of the oldest delivery that is due, in seconds. */
  oldest_seconds: number
  /** The number of active webhooks whose last attempt failed, and those that failed most often in a row. */
  failing: number
  webhooks: FailingWebhook[]
}

const SHOWN = 10

interface FailingRow extends Record<string, unknown> {
  user_id: string
  owner: string | null
  webhook_id: string
  url: string
  failures: number
  since: string
  status: number | null
  total: number
}

/** Counts the deliveries of all users that wait, and finds the webhooks that fail. Undefined if that takes too long. */
export async function getDeliveryHealth({ db, clock }: Needs<'db' | 'clock'>): Promise<DeliveryHealth | undefined> {
  return await readInTime(db, async tx => ({
    ...(await countDeliveries(tx, clock.now())),
    ...(await findFailing(tx))
  }))
}

async function countDeliveries(db: Db, now: Date) {
  const { rows } = await db.execute<Record<'waiting' | 'sending' | 'oldest', string | null>>(withValue(DELIVERIES, now))
  const [counted] = rows
  return {
    waiting: Number(counted?.waiting),
    sending: Number(counted?.sending),
    oldest_seconds: Number(counted?.oldest ?? 0)
  }
}

async function findFailing(db: Db) {
  const { rows } = await db.execute<FailingRow>(sql`
    select w.user_id, u.email as owner, w.webhook_id, w.url, w.failure_count as failures, w.failing_since as since,
      w.last_delivery_status as status, count(*) over ()::int as total
    from webhooks w join users u on u.user_id = w.user_id and u.deleted_at is null
    where w.active and w.failure_count > 0
    order by w.failure_count desc, w.user_id, w.webhook_id limit ${SHOWN}`)
  return {
    failing: rows[0]?.total ?? 0,
    webhooks: rows.map(({ url, since, total: _, ...webhook }) => ({
      ...webhook,
      host: new URL(url).host,
      since: new Date(since)
    }))
  }
}

/** A statement whose one parameter is `$1`, which it may have in several places. */
function withValue(text: string, value: Date): SQL {
  return sql.join(
    text.split('$1').map(part => sql.raw(part)),
    sql`${value}`
  )
}
