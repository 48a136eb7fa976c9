import { RETENTION_NAMES, type Retention, type RetentionChange } from '../../contract/retention.ts'
import { invalid, throwNotFound } from '../../platform/core/api-error.ts'
import { operation } from '../access/operation.ts'
import { findUser, type UserRow } from '../access/queries.ts'
import type { Needs } from '../services.ts'

type OwnRetention = Pick<UserRow, 'retentionAudioDays' | 'retentionSessionDays'>

/** The periods of a user who has none of their own. */
export const NO_RETENTION: OwnRetention = { retentionAudioDays: null, retentionSessionDays: null }

/** Returns the periods that apply: the shorter of the server's and the user's own. */
export function effectiveRetention(server: Retention, own: Retention): Retention {
  return {
    audio_days: shorter(server.audio_days, own.audio_days),
    session_days: shorter(server.session_days, own.session_days)
  }
}

function shorter(one: number | null, other: number | null) {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

export function toRetention({ retentionAudioDays, retentionSessionDays }: OwnRetention): Retention {
  return { audio_days: retentionAudioDays, session_days: retentionSessionDays }
}

/** Returns the periods that apply to the user. */
export const getRetention = operation(
  'getRetention',
  async ({ db, retention }: Needs<'db' | 'retention'>, actor): Promise<Retention> => {
    return effectiveRetention(retention, toRetention((await findUser(db, actor.userId)) ?? throwNotFound('User')))
  }
)

/** The periods of a user's own after a change. Throws invalid_request if one is longer than that of the server, which would apply instead. */
export function changeRetention(server: Retention, before: OwnRetention, change: RetentionChange): OwnRetention {
  for (const name of RETENTION_NAMES) requireShorter(name, server[name], change[name] ?? null)
  return {
    retentionAudioDays: change.audio_days === undefined ? before.retentionAudioDays : change.audio_days,
    retentionSessionDays: change.session_days === undefined ? before.retentionSessionDays : change.session_days
  }
}

function requireShorter(name: keyof Retention, server: number | null, days: number | null) {
  if (server === null || days === null || days <= server) return
  throw invalid({
    field: `retention.${name}`,
    problem: `the server keeps for ${server} days at most`,
    expected: `1 to ${server}, or null for the period of the server`
  })
}
