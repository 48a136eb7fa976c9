import { randomUUID } from 'node:crypto'
import type { Scope } from '../../src/contract/scopes.ts'
import { type Flag, type Ids, type Kind, UPLOAD } from './world.ts'

/** A status, and the code of the error where it is one. */
export type Outcome =
  | '200'
  | '201'
  | '202'
  | '204'
  | '403 no_access'
  | '404 not_found'
  | '404 media_unavailable'
  | '409 conflict'

/** What the contract says of one route, written down here by hand and never read off the server. */
export interface Row {
  /** Any one of these is enough; none at all where no token is needed. */
  scopes: Scope[]
  /** What each id in the path is the id of. */
  path?: Record<string, Kind>
  /** What the path takes besides ids. */
  pathWords?: Record<string, string>
  /** Parameters of the query, or fields of the body, that take an id and that the usual request does not send. */
  queryIds?: Record<string, Kind>
  bodyIds?: Record<string, Kind>
  query?: string
  body?: (ids: Ids) => object
  headers?: Record<string, string>
  owner: Outcome
  /** The same request, ids and all, of somebody who has nothing to do with the owner; revoked recipients get no other answer. */
  stranger: Outcome
  recipient: Outcome
  /** What recipients get where the flag is off: another outcome, or an answer without that key. */
  without?: Partial<Record<Flag, Outcome | { absent: string }>>
  /** Afterwards the owner's world is no longer what the other cells need. */
  destroys?: true
}

const ONLY_OWNER = { stranger: '404 not_found', recipient: '404 not_found' } as const
const EACH_THEIR_OWN = { owner: '200', stranger: '200', recipient: '200' } as const
const EACH_MAKES = { owner: '201', stranger: '201', recipient: '201' } as const

const TUS = { 'tus-resumable': '1.0.0' }

const read = { scopes: ['sessions:read'] } satisfies Partial<Row>
const own = { ...ONLY_OWNER, owner: '200', path: { id: 'session' } } as const

const onePerson = {
  ...ONLY_OWNER,
  owner: '200',
  scopes: ['people:write'],
  path: { id: 'person' }
} satisfies Partial<Row>

const SESSIONS: Record<string, Row> = {
  listSessions: {
    ...read,
    ...EACH_THEIR_OWN,
    query: '?include=shared',
    queryIds: { folder: 'folder', person: 'person' }
  },
  createSession: {
    scopes: ['sessions:create'],
    owner: '202',
    stranger: '202',
    recipient: '202',
    body: () => ({ segments: [{ speaker: 'Ada', text: 'Welcome.' }] })
  },
  uploadSession: {
    scopes: ['sessions:create'],
    owner: '202',
    stranger: '202',
    recipient: '202',
    query: '?file=weekly.txt',
    body: () => Buffer.from(`Ada: ${randomUUID()}`)
  },
  createUpload: { ...EACH_MAKES, scopes: ['sessions:create'], headers: UPLOAD },
  appendToUpload: {
    ...ONLY_OWNER,
    owner: '204',
    scopes: ['sessions:create'],
    path: { id: 'upload' },
    headers: { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
  },
  cancelUpload: {
    ...ONLY_OWNER,
    owner: '204',
    scopes: ['sessions:create'],
    path: { id: 'upload' },
    headers: TUS,
    destroys: true
  },
  getSession: { ...read, ...own },
  updateSession: { ...own, scopes: ['sessions:write'], body: () => ({ title: 'Changed' }) },
  deleteSession: { ...own, scopes: ['sessions:delete'], destroys: true },
  restoreSession: { ...own, scopes: ['sessions:delete', 'sessions:write'] },
  retrySession: { ...own, scopes: ['sessions:create', 'sessions:write'], owner: '409 conflict' },
  getSummary: { ...read, ...own },
  summarizeSession: {
    ...own,
    scopes: ['sessions:write'],
    owner: '202',
    body: () => ({})
  },
  getSummaryRequest: { ...read, ...own },
  getActionItems: { ...read, ...own },
  listActionItems: { ...read, ...EACH_THEIR_OWN, queryIds: { folder: 'folder', person: 'person' } },
  updateActionItem: {
    ...ONLY_OWNER,
    owner: '200',
    scopes: ['sessions:write'],
    path: { id: 'item' },
    body: () => ({ completed: true })
  },
  getTranscript: { ...own, scopes: ['transcripts:read'] },
  getTranscriptFile: { ...own, scopes: ['transcripts:read'], pathWords: { format: 'vtt' } },
  correctTranscript: {
    ...own,
    scopes: ['transcripts:write'],
    headers: { 'if-match': '*' },
    body: () => ({ segments: [{ index: 0, text: 'Corrected.' }] })
  },
  getMedia: { ...own, scopes: ['media:read'] },
  searchSessions: {
    ...EACH_THEIR_OWN,
    scopes: ['sessions:search'],
    body: () => ({ query: 'offers of the spring' }),
    bodyIds: { folder: 'folder', person: 'person' }
  },
  getStats: { ...read, ...EACH_THEIR_OWN },
  exportSessions: { ...read, ...EACH_THEIR_OWN, body: ids => ({ session_ids: [ids.session] }) },
  getAccount: { ...EACH_THEIR_OWN, scopes: ['account:read'] },
  listPeople: { ...read, ...EACH_THEIR_OWN },
  listPersonSessions: { ...read, ...ONLY_OWNER, owner: '200', path: { id: 'person' } },
  createPerson: { ...EACH_MAKES, scopes: ['people:write'], body: () => ({ name: `Person ${randomUUID()}` }) },
  updatePerson: { ...onePerson, body: () => ({ name: `Person ${randomUUID()}` }) },
  deletePerson: { ...onePerson, owner: '204', destroys: true },
  mergePerson: { ...onePerson, body: ids => ({ into: ids.otherPerson }), destroys: true },
  correctSpeaker: { ...own, scopes: ['people:write'], body: () => ({ from: 'Owned Person', name: 'Owned Person' }) },
  getOpenapi: { ...EACH_THEIR_OWN, scopes: [] }
}

const readsTerms = { scopes: ['transcripts:read', 'transcripts:write'] } satisfies Partial<Row>
const writesTerms = { scopes: ['transcripts:write'] } satisfies Partial<Row>
const oneTerm = { ...ONLY_OWNER, owner: '200', path: { id: 'term' } } as const

const TERMS: Record<string, Row> = {
  listTerms: { ...readsTerms, ...EACH_THEIR_OWN },
  getTerm: { ...readsTerms, ...oneTerm },
  createTerm: { ...writesTerms, ...EACH_MAKES, body: () => ({ heard: [randomUUID()], meant: 'Parlance' }) },
  importTerms: {
    ...writesTerms,
    ...EACH_THEIR_OWN,
    headers: { 'content-type': 'text/csv' },
    body: () => Buffer.from('heard,meant\nparlants,Parlance Server')
  },
  updateTerm: { ...writesTerms, ...oneTerm, body: () => ({ meant: 'Parlance' }) },
  deleteTerm: { ...writesTerms, ...oneTerm, owner: '204', destroys: true },
  applyTerm: { ...writesTerms, ...oneTerm, owner: '202' },
  getTermApplication: { ...writesTerms, ...oneTerm }
}

const readsTemplates = { scopes: ['sessions:read', 'sessions:write'] } satisfies Partial<Row>
const writesTemplates = { scopes: ['sessions:write'] } satisfies Partial<Row>
const oneTemplate = { ...ONLY_OWNER, owner: '200', path: { id: 'template' } } as const

const TEMPLATES: Record<string, Row> = {
  listSummaryTemplates: { ...readsTemplates, ...EACH_THEIR_OWN },
  getSummaryTemplate: { ...readsTemplates, ...oneTemplate },
  createSummaryTemplate: {
    ...writesTemplates,
    ...EACH_MAKES,
    body: () => ({ name: randomUUID(), sections: [{ heading: 'Overview' }] })
  },
  updateSummaryTemplate: { ...writesTemplates, ...oneTemplate, body: () => ({ language: 'en' }) },
  deleteSummaryTemplate: { ...writesTemplates, ...oneTemplate, owner: '204', destroys: true }
}

const oneExport = { ...read, ...ONLY_OWNER, path: { id: 'export' } } as const

const EXPORTS: Record<string, Row> = {
  createExport: { ...read, owner: '202', stranger: '202', recipient: '202', body: () => ({ parts: [] }) },
  listExports: { ...read, ...EACH_THEIR_OWN },
  getExport: { ...oneExport, owner: '200' },
  deleteExport: { ...oneExport, owner: '204', destroys: true }
}

const readsFolders = { scopes: ['folders:read', 'sessions:read'] } satisfies Partial<Row>
const writesFolders = { scopes: ['folders:write'] } satisfies Partial<Row>
const membership = {
  ...writesFolders,
  ...ONLY_OWNER,
  owner: '200',
  path: { id: 'session', folderId: 'folder' }
} as const

const FOLDERS: Record<string, Row> = {
  listFolders: { ...readsFolders, ...EACH_THEIR_OWN },
  createFolder: { ...writesFolders, ...EACH_MAKES, body: () => ({ name: 'Another' }) },
  getFolder: { ...readsFolders, ...ONLY_OWNER, owner: '200', path: { id: 'folder' } },
  updateFolder: {
    ...writesFolders,
    ...ONLY_OWNER,
    owner: '200',
    path: { id: 'folder' },
    body: () => ({ pinned: true })
  },
  deleteFolder: { ...writesFolders, ...ONLY_OWNER, owner: '204', path: { id: 'folder' }, destroys: true },
  addSessionToFolder: membership,
  removeSessionFromFolder: membership
}

const feed = { ...EACH_THEIR_OWN, scopes: ['events:read'] } satisfies Partial<Row>
const manages = { scopes: ['webhooks:manage'] } satisfies Partial<Row>
const webhook = { ...manages, ...ONLY_OWNER, owner: '200', path: { id: 'webhook' } } as const

const EVENTS: Record<string, Row> = {
  listEvents: feed,
  acknowledgeEvents: { ...feed, body: () => ({ cursor: 0 }) },
  listWebhooks: { ...manages, ...EACH_THEIR_OWN },
  createWebhook: {
    ...manages,
    ...EACH_MAKES,
    body: () => ({ url: 'http://127.0.0.1:1/hook', events: ['session.completed'] })
  },
  updateWebhook: { ...webhook, body: () => ({ active: true }) },
  deleteWebhook: { ...webhook, destroys: true },
  rotateWebhookSecret: webhook,
  testWebhook: webhook,
  listDeliveries: webhook,
  retryDelivery: { ...webhook, path: { id: 'webhook', delivery_id: 'event' } },
  replayEvents: { ...webhook, body: () => ({ from_seq: 1 }) }
}

/** The owner of a session is no recipient of it. */
const shared = {
  ...read,
  owner: '404 not_found',
  stranger: '404 not_found',
  recipient: '200',
  path: { owner_id: 'owner', id: 'session' }
} as const

const SHARED: Record<string, Row> = {
  listSharedSessions: { ...read, ...EACH_THEIR_OWN },
  getSharedSession: {
    ...shared,
    without: { summary: { absent: 'summary' }, action_items: { absent: 'action_items' } }
  },
  getSharedTranscript: { ...shared, scopes: ['transcripts:read'], without: { transcript: '404 not_found' } },
  getSharedTranscriptFile: {
    ...shared,
    scopes: ['transcripts:read'],
    pathWords: { format: 'srt' },
    without: { transcript: '404 not_found' }
  },
  getSharedActionItems: { ...shared, without: { action_items: '404 not_found' } },
  getSharedMedia: { ...shared, scopes: ['media:read'], without: { audio: '404 media_unavailable' } }
}

const sharing = {
  scopes: ['sharing:manage'],
  owner: '200',
  stranger: '404 not_found',
  recipient: '403 no_access',
  path: { id: 'session' }
} satisfies Row

const SHARING: Record<string, Row> = {
  getSessionSharing: sharing,
  createShareLink: sharing,
  resetShareLink: { ...sharing, body: () => ({ remove_everyone: true }), destroys: true },
  createShareInvites: { ...sharing, body: ({ email }) => ({ emails: [`also-${email}`] }) },
  cancelShareInvite: { ...sharing, body: ({ email, invite }) => ({ email, invite_id: invite }), destroys: true },
  removeShareRecipient: { ...sharing, path: { id: 'session', recipient_id: 'recipient' }, destroys: true }
}

/** By operationId. A new operation of the document has no place to hide: without a row here the tests fail. */
export const ROWS: Record<string, Row> = {
  ...SESSIONS,
  ...TERMS,
  ...TEMPLATES,
  ...EXPORTS,
  ...FOLDERS,
  ...EVENTS,
  ...SHARED,
  ...SHARING
}
