import { type Ids, UPLOAD } from './world.ts'

/** The page that a request shows, or the path that it leads to, or the status of an answer to a script. */
type Shown = 'page' | '201' | '204' | '400' | '401' | '403' | '404' | '409' | `to ${string}`

/** The owner comes last, whose forms end the session. */
export const VISITORS = ['nobody', 'guest', 'stranger', 'recipient', 'revoked', 'operator', 'owner'] as const
export type Visitor = (typeof VISITORS)[number]

export interface PageRow extends Record<Exclude<Visitor, 'operator'>, Shown> {
  /** What an operator gets; without it what a stranger does. */
  operator?: Shown
  /** The address that is asked for; the path itself if it has no parameter. */
  at?: (ids: Ids) => string
  /** The fields of the form. */
  fields?: (ids: Ids) => Record<string, string>
  /** The headers of what a script sends. */
  headers?: Record<string, string>
  /** Texts that a visitor with another answer than `page` must not find. */
  secret?: string[]
}

/** The path of the form whose token a request sends. What the script of the page of uploads sends has that of its form. */
export function tokenPath(url: string) {
  return url.startsWith('/uploads') ? '/upload' : url
}

const FOR_ALL = everyone('page')
const FOR_USERS = { ...FOR_ALL, nobody: 'to /sign-in', guest: '403' } as const
/** A form that is sent without its fields. */
const FORM_FOR_USERS = {
  nobody: 'to /sign-in',
  guest: '403',
  stranger: '400',
  recipient: '400',
  revoked: '400',
  owner: '400'
} as const
const TO_START = { stranger: 'to /', recipient: 'to /', revoked: 'to /', owner: 'to /' } as const
const SIGNED_OUT = everyone('to /sign-in')
const GONE = everyone('404')
const hook = ({ webhook }: Ids) => `/settings/webhooks/${webhook}`
/** Something of a user's own that the others do not find. */
const UNKNOWN_TO_USERS = { ...GONE, nobody: 'to /sign-in', guest: '403' } as const
/** Forms and pages of one session lead its owner here, and are unknown to everyone else. */
const OF_OWNER = { ...GONE, nobody: 'to /sign-in', guest: '403', owner: 'to /s/{session}' } as const
const own =
  (path = '') =>
  ({ session }: Ids) =>
    `/s/${session}${path}`
const SECRETS = [
  'OWNED SUMMARY',
  'OWNED NOTES',
  'owned-tag',
  'Owned folder',
  'OWNED TRANSCRIPT',
  'OWNED ITEM',
  'OWNED-AUDIO'
]
const TUS = { 'tus-resumable': '1.0.0' }
/** What the script of the page of uploads asks of one upload. */
const OF_SENDER = { ...GONE, nobody: '401', guest: '403', owner: '204' } as const
const sent =
  (path = '') =>
  ({ upload }: Ids) =>
    `/uploads/${upload}${path}`
const TAG = `s${'x'.repeat(27)}`
const shared = ({ owner, session }: Ids) => `/shared/${owner}/${session}`

const UNKNOWN = (prefix: string) => `${prefix}_${'0'.repeat(26)}`

const person =
  (path = '') =>
  () =>
    `/operator/users/${UNKNOWN('usr')}${path}`
/** For everyone but operators these pages are as unknown as any other, even to somebody who is not signed in. */
const OPERATORS = { ...GONE, operator: 'page' } as const

/** Every page of the console, and every form, which here is sent as its page has it. */
export const PAGES: Record<string, PageRow> = {
  'GET /': FOR_USERS,
  'GET /search': FOR_USERS,
  'POST /favourites': { ...OF_OWNER, owner: 'to /', fields: ({ session }) => ({ star: session }) },
  'GET /upload': FOR_USERS,
  'POST /upload': everyone('403'),
  'POST /uploads': { ...everyone('201'), nobody: '401', guest: '403', headers: UPLOAD },
  'HEAD /uploads/{id}': { ...OF_SENDER, owner: 'page', at: sent(), headers: TUS },
  'PATCH /uploads/{id}': {
    ...OF_SENDER,
    at: sent(),
    headers: { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
  },
  'POST /uploads/{id}/import': { ...OF_OWNER, owner: '409', at: sent('/import') },
  'POST /uploads/{id}/transcript': { ...everyone('403'), at: sent('/transcript') },
  'DELETE /uploads/{id}': { ...OF_SENDER, at: sent(), headers: TUS },
  'GET /s/{id}': { ...OF_OWNER, owner: 'page', at: own(), secret: SECRETS },
  // As long as the session is there in which the person speaks.
  'GET /people/{id}': { ...UNKNOWN_TO_USERS, owner: 'page', at: ({ person }) => `/people/${person}` },
  'GET /progress': { ...OF_OWNER, owner: 'page', at: ({ session }) => `/progress?session=${session}` },
  'GET /s/{id}/delete': { ...OF_OWNER, owner: 'page', at: own('/delete'), secret: ['Offers of the spring'] },
  'GET /s/{id}/transcript.{format}': {
    ...OF_OWNER,
    owner: 'page',
    at: own('/transcript.txt'),
    secret: ['OWNED TRANSCRIPT']
  },
  'GET /s/{id}/session.json': { ...OF_OWNER, owner: 'page', at: own('/session.json'), secret: ['OWNED SUMMARY'] },
  'POST /s/{id}/items/{item_id}': {
    ...OF_OWNER,
    at: ids => own(`/items/${ids.item}`)(ids),
    fields: () => ({ version: '1', completed: 'true' })
  },
  'POST /s/{id}/about': {
    ...OF_OWNER,
    owner: '409',
    at: own('/about'),
    fields: () => ({ tag: TAG, title: 'Mine', tags: '' }),
    secret: ['Offers of the spring']
  },
  'POST /s/{id}/notes': {
    ...OF_OWNER,
    owner: '409',
    at: own('/notes'),
    fields: () => ({ tag: TAG, notes: 'Mine' }),
    secret: ['OWNED NOTES']
  },
  'POST /s/{id}/summary': {
    ...OF_OWNER,
    owner: '409',
    at: own('/summary'),
    fields: () => ({ tag: TAG, summary: 'Mine' }),
    secret: ['OWNED SUMMARY']
  },
  'POST /s/{id}/speakers': {
    ...OF_OWNER,
    at: own('/speakers'),
    fields: () => ({ from: 'Speaker 2', name: 'Ben' })
  },
  'GET /s/{id}/correct': { ...OF_OWNER, owner: 'page', at: own('/correct'), secret: ['OWNED TRANSCRIPT'] },
  'POST /s/{id}/correct': { ...FORM_FOR_USERS, at: own('/correct') },
  'POST /s/{id}/date': { ...OF_OWNER, at: own('/date'), fields: () => ({ type: 'meeting' }) },
  'POST /s/{id}/items': { ...FORM_FOR_USERS, at: own('/items') },
  'POST /s/{id}/recording': { ...everyone('403'), at: own('/recording') },
  'POST /items/{id}/edit': { ...FORM_FOR_USERS, at: ({ item }) => `/items/${item}/edit` },
  'POST /items/{id}/delete': { ...UNKNOWN_TO_USERS, at: () => `/items/${UNKNOWN('ai')}/delete` },
  'POST /items/many': FORM_FOR_USERS,
  'POST /s/{id}/keep': { ...OF_OWNER, at: own('/keep'), fields: () => ({ keep: 'true' }) },
  'POST /s/{id}/folders': { ...OF_OWNER, at: own('/folders'), fields: ({ folder }) => ({ add: folder }) },
  'POST /s/{id}/sharing/parts': {
    ...OF_OWNER,
    at: own('/sharing/parts'),
    fields: () => ({ summary: 'true', transcript: 'true', audio: 'true', action_items: 'true' })
  },
  'POST /s/{id}/sharing/invites': {
    ...OF_OWNER,
    at: own('/sharing/invites'),
    fields: () => ({ emails: 'cleo@example.com' })
  },
  'POST /s/{id}/sharing/link': { ...OF_OWNER, owner: 'page', at: own('/sharing/link') },
  'POST /s/{id}/sharing/reset': { ...OF_OWNER, owner: 'page', at: own('/sharing/reset') },
  'POST /s/{id}/sharing/cancel': {
    ...OF_OWNER,
    at: own('/sharing/cancel'),
    fields: ({ email, invite }) => ({ email, invite_id: invite })
  },
  'POST /s/{id}/sharing/remove': {
    ...OF_OWNER,
    at: own('/sharing/remove'),
    fields: ({ recipient }) => ({ recipient_id: recipient })
  },
  'POST /s/{id}/retry': { ...OF_OWNER, owner: '409', at: own('/retry') },
  'POST /s/{id}/trash': { ...OF_OWNER, at: own('/trash') },
  'POST /s/{id}/restore': { ...OF_OWNER, at: own('/restore') },
  'POST /s/{id}/delete': { ...OF_OWNER, owner: 'to /', at: own('/delete') },
  'GET /shared': { ...FOR_ALL, nobody: 'to /sign-in' },
  'GET /shared/{owner_id}/{id}': {
    ...GONE,
    nobody: 'to /sign-in',
    recipient: 'page',
    owner: 'to /s/{session}',
    at: shared,
    secret: ['OWNED SUMMARY', 'OWNED TRANSCRIPT', 'OWNED ITEM', 'OWNED-AUDIO', 'Offers of the spring']
  },
  'GET /join/{secret}': { ...GONE, at: () => '/join/x' },
  'POST /join/{secret}': { ...GONE, at: () => '/join/x' },
  'GET /join/sent': FOR_ALL,
  'GET /docs': everyone('to /docs/'),
  'GET /v1/docs': everyone('to /v1/docs/'),
  'GET /v1/docs/': FOR_ALL,
  'GET /docs*': { ...FOR_ALL, at: () => '/docs/console' },
  'GET /sign-in': { ...FOR_ALL, ...TO_START },
  'POST /sign-in': everyone('to /sign-in/sent'),
  // The application of the matrix has no provider; tests of their own start and end a sign-in there.
  'GET /sign-in/oidc': { ...GONE, ...TO_START },
  'GET /sign-in/oidc/callback': { ...GONE, ...TO_START },
  'GET /sign-in/sent': FOR_ALL,
  'POST /sign-in/code': { ...everyone('400'), fields: () => ({ code: 'x' }) },
  'GET /sign-in/{secret}': { ...GONE, at: () => '/sign-in/x' },
  'POST /sign-in/{secret}': { ...GONE, at: () => '/sign-in/x' },
  'GET /action-items': { ...FOR_USERS },
  'POST /action-items/{id}': { ...FORM_FOR_USERS, at: ({ item }) => `/action-items/${item}` },
  'GET /folders': FOR_USERS,
  'POST /many': FORM_FOR_USERS,
  'POST /folders': FORM_FOR_USERS,
  'POST /folders/{id}': { ...FORM_FOR_USERS, at: ({ folder }) => `/folders/${folder}` },
  'POST /folders/{id}/delete': { ...UNKNOWN_TO_USERS, at: () => `/folders/${UNKNOWN('fld')}/delete` },
  'GET /overview': FOR_USERS,
  'GET /people': FOR_USERS,
  'GET /people/names': FOR_USERS,
  'POST /people/names': { ...everyone('to /people'), nobody: 'to /sign-in', guest: '403' },
  'POST /people/{id}': { ...FORM_FOR_USERS, at: ({ person }) => `/people/${person}` },
  'POST /people/{id}/me': { ...UNKNOWN_TO_USERS, at: () => `/people/${UNKNOWN('per')}/me` },
  'POST /people/{id}/merge': { ...FORM_FOR_USERS, at: ({ person }) => `/people/${person}/merge` },
  'POST /people/{id}/delete': { ...UNKNOWN_TO_USERS, at: () => `/people/${UNKNOWN('per')}/delete` },
  'GET /settings': FOR_USERS,
  'POST /settings': FORM_FOR_USERS,
  'POST /settings/retention': {
    ...FORM_FOR_USERS,
    fields: () => ({ audio_days: 'many' })
  },
  'POST /settings/delete': FORM_FOR_USERS,
  'POST /settings/keys': { ...everyone('to /settings'), nobody: 'to /sign-in', guest: '403' },
  'GET /account-deleted': { ...FOR_ALL, guest: 'to /', ...TO_START },
  'GET /settings/tokens': FOR_USERS,
  'POST /settings/tokens': FORM_FOR_USERS,
  'POST /settings/tokens/{id}/revoke': { ...UNKNOWN_TO_USERS, at: () => `/settings/tokens/${UNKNOWN('tok')}/revoke` },
  'GET /settings/agents': FOR_USERS,
  'POST /settings/agents/{id}/disconnect': {
    ...UNKNOWN_TO_USERS,
    at: () => `/settings/agents/${UNKNOWN('tok')}/disconnect`
  },
  // Nobody asks for access here.
  'GET /oauth/authorize': { ...FORM_FOR_USERS },
  'POST /oauth/authorize': FORM_FOR_USERS,
  'GET /settings/export': FOR_USERS,
  'POST /settings/export': { ...everyone('to /settings/export'), nobody: 'to /sign-in', guest: '403' },
  'POST /settings/export/{id}/delete': {
    ...UNKNOWN_TO_USERS,
    at: () => `/settings/export/${UNKNOWN('exp')}/delete`
  },
  'GET /settings/webhooks': FOR_USERS,
  'POST /settings/webhooks': FORM_FOR_USERS,
  'GET /settings/webhooks/{id}': { ...UNKNOWN_TO_USERS, owner: 'page', at: hook, secret: ['http://127.0.0.1:1/owned'] },
  'POST /settings/webhooks/{id}/test': { ...UNKNOWN_TO_USERS, owner: 'page', at: ids => `${hook(ids)}/test` },
  'POST /settings/webhooks/{id}/rotate': { ...UNKNOWN_TO_USERS, owner: 'page', at: ids => `${hook(ids)}/rotate` },
  'POST /settings/webhooks/{id}/active': { ...FORM_FOR_USERS, at: ids => `${hook(ids)}/active` },
  'GET /settings/webhooks/{id}/change': {
    ...UNKNOWN_TO_USERS,
    owner: 'page',
    at: ids => `${hook(ids)}/change`,
    secret: ['http://127.0.0.1:1/owned']
  },
  'POST /settings/webhooks/{id}/change': { ...FORM_FOR_USERS, at: ids => `${hook(ids)}/change` },
  'GET /settings/webhooks/{id}/deliveries/{delivery_id}': {
    ...UNKNOWN_TO_USERS,
    owner: 'page',
    at: ids => `${hook(ids)}/deliveries/${ids.event}`,
    secret: ['http://127.0.0.1:1/owned']
  },
  'POST /settings/webhooks/{id}/delete': {
    ...UNKNOWN_TO_USERS,
    at: () => `/settings/webhooks/${UNKNOWN('whk')}/delete`
  },
  'POST /settings/webhooks/{id}/replay': { ...UNKNOWN_TO_USERS, owner: '400', at: ids => `${hook(ids)}/replay` },
  'POST /settings/webhooks/{id}/deliveries/{delivery_id}/retry': {
    ...UNKNOWN_TO_USERS,
    owner: 'page',
    at: ids => `${hook(ids)}/deliveries/${ids.event}/retry`
  },
  'GET /operator/failed': { ...OPERATORS, secret: ['Failed sessions'] },
  'POST /operator/failed/retry': OPERATORS,
  'POST /operator/failed/{user_id}/{id}/retry': {
    ...GONE,
    operator: '409',
    at: ({ owner, session }) => `/operator/failed/${owner}/${session}/retry`
  },
  'GET /operator/health': { ...OPERATORS, secret: ['Background jobs'] },
  'POST /operator/health/checks': { ...OPERATORS, secret: ['Everything works.'] },
  'GET /operator': { ...GONE, operator: 'to /operator/users' },
  'GET /operator/users': { ...OPERATORS, secret: ['Invite a person'] },
  'POST /operator/users/invite': { ...GONE, operator: '400', fields: () => ({ email: 'nonsense' }) },
  'GET /operator/users/{id}': {
    ...OPERATORS,
    at: ({ owner }) => `/operator/users/${owner}`,
    secret: ['Delete the user']
  },
  'POST /operator/users/{id}/verify': { ...OPERATORS, at: ({ owner }) => `/operator/users/${owner}/verify` },
  'POST /operator/users/{id}/invite': { ...GONE, at: person('/invite') },
  'POST /operator/users/{id}/quotas': { ...GONE, at: person('/quotas') },
  'POST /operator/users/{id}/sign-out': { ...GONE, at: person('/sign-out') },
  'POST /operator/users/{id}/revoke-tokens': { ...GONE, at: person('/revoke-tokens') },
  'POST /operator/users/{id}/delete': {
    ...GONE,
    operator: '400',
    at: ({ owner }) => `/operator/users/${owner}/delete`,
    fields: () => ({ confirmation: 'yes' })
  },
  'POST /settings/sign-out-everywhere': { ...SIGNED_OUT, guest: '403' },
  // Every visitor but a guest is signed out by now.
  'POST /sign-out': SIGNED_OUT
}

function everyone<S extends Shown>(shown: S): Record<Exclude<Visitor, 'operator'>, S> {
  return { nobody: shown, guest: shown, stranger: shown, recipient: shown, revoked: shown, owner: shown }
}
