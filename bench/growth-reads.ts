import { EXPORT, TEMPLATE, TERM, WEBHOOK } from './growth-library.ts'
import { NEWEST, spacingOf } from './growth-seed.ts'

const DAY_MS = 86_400_000

/** The place in the list where a request reads, as an instant that is the cursor, and the owner's number of sessions. */
export interface Place {
  at: string
  size: number
  /** A session with transcript and recording. */
  sessionId: string
  /** One that a friend shares, as owner and id. */
  shared: string
}

type Reads = Record<string, (place: Place) => string>

/** The reads whose cost must not grow with the library: those with a line of their own in the main table, then the other routes and the filters. */
export const READS: Reads = {
  list: ({ at }) => `/sessions?cursor=${at}`,
  tag: ({ at }) => `/sessions?tag=roadmap&cursor=${at}`,
  folder: ({ at }) => `/sessions?folder=clients&cursor=${at}`,
  person: ({ at }) => `/sessions?person=per_often&cursor=${at}`,
  'stats of 30 days': ({ at }) => `/sessions/stats?since=${daysBefore(at, 30)}&until=${at}`,
  'stats of all': ({ at, size }) =>
    `/sessions/stats?since=${daysBefore(at, 1 + (size * spacingOf(size)) / 86_400)}&until=${at}`
}

/** The other reading routes, without filters unless a route needs one. */
export const ROUTES: Reads = {
  session: ({ sessionId }) => `/sessions/${sessionId}`,
  'changed sessions': () => '/sessions?order=updated',
  'changes of a day': ({ at }) => `/sessions?order=updated&updated_since=${daysBefore(at, 1)}`,
  transcript: ({ sessionId }) => `/sessions/${sessionId}/transcript`,
  'transcript file': ({ sessionId }) => `/sessions/${sessionId}/transcript.srt`,
  recordings: ({ sessionId }) => `/sessions/${sessionId}/media`,
  'items of a session': ({ sessionId }) => `/sessions/${sessionId}/action-items`,
  'action items': () => '/action-items',
  'completed action items': () => '/action-items?status=done',
  'action items of an assignee': () => '/action-items?assignee=ada',
  'changed action items': ({ at }) => `/action-items?updated_since=${daysBefore(at, 1)}`,
  'summary in parts': ({ sessionId }) => `/sessions/${sessionId}/summary`,
  'progress of a summary': ({ sessionId }) => `/sessions/${sessionId}/summarize`,
  terms: () => '/terms',
  'one term': () => `/terms/${TERM}`,
  'progress of a term': () => `/terms/${TERM}/apply`,
  'summary templates': () => '/summary-templates',
  'one summary template': () => `/summary-templates/${TEMPLATE}`,
  exports: () => '/exports',
  'one export': () => `/exports/${EXPORT}`,
  folders: () => '/folders?limit=50',
  'one folder': () => '/folders/fld_large',
  people: () => '/people?limit=50',
  'sessions of a person': ({ at }) => `/people/per_often/sessions?cursor=${at}`,
  events: () => '/events?cursor=100',
  webhooks: () => '/webhooks',
  'deliveries of a webhook': () => `/webhooks/${WEBHOOK}/deliveries`,
  'shared sessions': () => '/shared-sessions',
  'shared session': ({ shared }) => `/shared-sessions/${shared}`,
  'shared action items': ({ shared }) => `/shared-sessions/${shared}/action-items`,
  'shared recordings': ({ shared }) => `/shared-sessions/${shared}/media`,
  'shared transcript': ({ shared }) => `/shared-sessions/${shared}/transcript`,
  'shared transcript file': ({ shared }) => `/shared-sessions/${shared}/transcript.srt`,
  'sharing of a session': ({ sessionId }) => `/sessions/${sessionId}/sharing`,
  account: () => '/account',
  'OpenAPI document': () => '/openapi.json'
}

/** Filters of sessions that select few among many, many, or none of them. */
const SESSIONS: Reads = {
  type: ({ at }) => `/sessions?type=phone&cursor=${at}`,
  'tag, absent': () => '/sessions?tag=nowhere',
  'tags, any': ({ at }) => `/sessions?tag=customer,hiring,legal&cursor=${at}`,
  'tags, all': ({ at }) => `/sessions?tag=customer,hiring,roadmap&tag_mode=all&cursor=${at}`,
  'tag and type': ({ at }) => `/sessions?tag=finance&type=podcast&cursor=${at}`,
  'folder, small': () => '/sessions?folder=board',
  'folder and type': ({ at }) => `/sessions?folder=clients&type=meeting&cursor=${at}`,
  'folder and tags': ({ at }) => `/sessions?folder=clients&tag=finance,legal&tag_mode=all&cursor=${at}`,
  'folder and any tags': ({ at }) => `/sessions?folder=clients&tag=customer,legal&cursor=${at}`,
  'person, rare': () => '/sessions?person=per_rare',
  'person and tag': ({ at }) => `/sessions?person=per_often&tag=roadmap&cursor=${at}`,
  'person and folder, small': () => '/sessions?person=per_often&folder=board',
  'person, from a time on': ({ at }) => `/people/per_often/sessions?to=${at}&from=${daysBefore(at, 30)}`,
  failed: () => '/sessions?status=failed',
  'failed, of a type': () => '/sessions?status=failed&type=podcast',
  'all states, of a type': ({ at }) => `/sessions?status=all&type=phone&cursor=${at}`,
  'all states, of an absent type': () => '/sessions?status=all&type=desktop',
  'changes with deletions': () => '/sessions?order=updated&include=deleted'
}

/** Filters of everything else. */
const REST: Reads = {
  'action items of a small folder': () => '/action-items?folder=board',
  'action items of a large folder': () => '/action-items?folder=clients',
  'action items of a person': () => '/action-items?person=per_often',
  'action items of a rare person': () => '/action-items?person=per_rare',
  'action items due later': () => '/action-items?due_after=2027-01-01',
  'changed action items of an assignee': place => `/action-items?assignee=ada&updated_since=${middle(place)}`,
  'changed action items of a folder': place => `/action-items?folder=clients&updated_since=${middle(place)}`,
  'changed action items due later': place => `/action-items?due_after=2027-01-01&updated_since=${middle(place)}`,
  'events, the newest': ({ size }) => `/events?cursor=${size * 10}`,
  'deliveries, failed': () => `/webhooks/${WEBHOOK}/deliveries?status=failed`,
  'deliveries, pending': () => `/webhooks/${WEBHOOK}/deliveries?status=pending`,
  'deliveries, of an event that has none': () => `/webhooks/${WEBHOOK}/deliveries?event=session.created`,
  'people, further on': () => '/people?limit=50&cursor=2024-01-01T01:00:00.000000Z_per_01',
  'folders, further on': () => '/folders?limit=50&cursor=other_none_folder+5'
}

export const OTHERS: Reads = { ...SESSIONS, ...REST }

/** Two filters that share no session read the members of both, so their cost is linear in the smaller one. */
export const DISJOINT: Reads = {
  'disjoint folder and person': () => '/sessions?folder=clients&person=per_often',
  'disjoint tags': () => '/sessions?tag=customer,legal&tag_mode=all',
  'disjoint state and folder': () => '/sessions?status=failed&folder=clients'
}

const ALL: Reads = { ...READS, ...ROUTES, ...OTHERS, ...DISJOINT }

interface Described {
  paths: Record<string, Record<string, unknown>>
}

/** Returns the paths of an OpenAPI document that have a GET, and no read. */
export function routesWithoutRead({ paths }: Described, reads: Reads = ALL) {
  const templates = Object.keys(paths)
    .filter(path => paths[path]?.get !== undefined)
    .map(path => ({ path, is: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/.]+')}$`) }))
    // A path without a parameter comes before one that would match it too.
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
  const place = { at: new Date(NEWEST).toISOString(), size: 1_000, sessionId: 'ses_1', shared: 'usr_1/ses_1' }
  const read = new Set(
    Object.values(reads).map(toPath => {
      const [path = ''] = `/v1${toPath(place)}`.split('?')
      return templates.find(({ is }) => is.test(path))?.path
    })
  )
  return templates.map(({ path }) => path).filter(path => !read.has(path))
}

function middle({ size }: Place) {
  return new Date(NEWEST - (spacingOf(size) * 1_000 * size) / 2).toISOString()
}

function daysBefore(at: string, days: number) {
  return new Date(Date.parse(at) - days * DAY_MS + 3_600_000).toISOString()
}
