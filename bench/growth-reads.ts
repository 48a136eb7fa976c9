import { WEBHOOK } from './growth-library.ts'
import { spacingOf } from './growth-seed.ts'

const DAY_MS = 86_400_000

/** The place in the list where a request reads, as an instant that is the cursor, and the owner's number of sessions. */
export interface Place {
  at: string
  size: number
  /** A session with a transcript. */
  sessionId: string
}

/** The reads whose cost must not grow with the library: those with a line of their own in the main table, then the others. */
export const READS: Record<string, (place: Place) => string> = {
  list: ({ at }) => `/sessions?cursor=${at}`,
  tag: ({ at }) => `/sessions?tag=roadmap&cursor=${at}`,
  folder: ({ at }) => `/sessions?folder=clients&cursor=${at}`,
  person: ({ at }) => `/sessions?person=per_often&cursor=${at}`,
  'stats of 30 days': ({ at }) => `/sessions/stats?since=${daysBefore(at, 30)}&until=${at}`,
  'stats of all': ({ at, size }) =>
    `/sessions/stats?since=${daysBefore(at, 1 + (size * spacingOf(size)) / 86_400)}&until=${at}`
}

export const OTHERS: Record<string, (place: Place) => string> = {
  type: ({ at }) => `/sessions?type=phone&cursor=${at}`,
  'tag, absent': () => '/sessions?tag=nowhere',
  'tags, any': ({ at }) => `/sessions?tag=customer,hiring,legal&cursor=${at}`,
  'tags, all': ({ at }) => `/sessions?tag=customer,hiring,roadmap&tag_mode=all&cursor=${at}`,
  'tag and type': ({ at }) => `/sessions?tag=finance&type=podcast&cursor=${at}`,
  'folder, small': () => '/sessions?folder=board',
  'folder and type': ({ at }) => `/sessions?folder=clients&type=meeting&cursor=${at}`,
  'folder and tags': ({ at }) => `/sessions?folder=clients&tag=finance,legal&tag_mode=all&cursor=${at}`,
  'person, rare': () => '/sessions?person=per_rare',
  'person and tag': ({ at }) => `/sessions?person=per_often&tag=roadmap&cursor=${at}`
}

/** The other reading routes, without filters unless a route needs one. */
export const ROUTES: Record<string, (place: Place) => string> = {
  session: ({ sessionId }) => `/sessions/${sessionId}`,
  'changed sessions': () => '/sessions?order=updated',
  'changes of a day': ({ at }) => `/sessions?order=updated&updated_since=${daysBefore(at, 1)}`,
  transcript: ({ sessionId }) => `/sessions/${sessionId}/transcript`,
  'transcript file': ({ sessionId }) => `/sessions/${sessionId}/transcript.srt`,
  'items of a session': ({ sessionId }) => `/sessions/${sessionId}/action-items`,
  'action items': () => '/action-items',
  'completed action items': () => '/action-items?status=done',
  'action items of a person': () => '/action-items?assignee=ada',
  'changed action items': ({ at }) => `/action-items?updated_since=${daysBefore(at, 1)}`,
  folders: () => '/folders?limit=50',
  folder: () => '/folders/fld_large',
  people: () => '/people?limit=50',
  'sessions of a person': ({ at }) => `/people/per_often/sessions?cursor=${at}`,
  events: () => '/events?cursor=100',
  webhooks: () => '/webhooks',
  'deliveries of a webhook': () => `/webhooks/${WEBHOOK}/deliveries`,
  'shared sessions': () => '/shared-sessions',
  'sharing of a session': ({ sessionId }) => `/sessions/${sessionId}/sharing`,
  account: () => '/account'
}

function daysBefore(at: string, days: number) {
  return new Date(Date.parse(at) - days * DAY_MS + 3_600_000).toISOString()
}
