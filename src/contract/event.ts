import type { SessionDetail } from './session.ts'

export const EVENT_TYPES = ['session.completed', 'session.updated', 'session.deleted', 'session.action_items.updated'] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** What a webhook delivers; the feed adds `seq`. */
export interface EventBody {
  id: string
  event: EventType
  created_at: string
  data: { session: SessionDetail }
}
