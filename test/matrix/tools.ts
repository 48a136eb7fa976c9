import type { Scope } from '../../src/contract/scopes.ts'
import type { Ids } from './world.ts'

/** What the caller reads: an answer, or the refusal of something that is unknown to them. */
type Outcome =
  | 'answer'
  | 'Session not found'
  | 'Shared session not found'
  | 'Action item not found'
  | 'folder: folder not found'

/** What the protocol says of one tool, written down here by hand and never read off the server. */
export interface ToolRow {
  /** Any one of these is enough. */
  scopes: Scope[]
  args: (ids: Ids) => object
  owner: Outcome
  stranger: Outcome
  /** Of a session that is shared with them, which `/v1` has at other paths. */
  recipient: Outcome
  /** Texts of the owner's that the answer holds, and that nobody else's may. */
  secret?: string[]
  writes?: true
}

const ALL = { owner: 'answer', stranger: 'answer', recipient: 'answer' } as const
const OWNER = { owner: 'answer', stranger: 'Session not found', recipient: 'Session not found' } as const
const search = {
  ...ALL,
  scopes: ['sessions:search'],
  args: () => ({ query: 'offers of the spring' })
} satisfies ToolRow
const id = ({ session }: Ids) => ({ id: session })

export const TOOLS: Record<string, ToolRow> = {
  search: { ...search, secret: ['Offers of the spring'] },
  fetch: {
    ...OWNER,
    scopes: ['sessions:read'],
    args: id,
    secret: ['OWNED SUMMARY', 'OWNED NOTES', 'OWNED ITEM', 'owned-tag', 'OWNED TRANSCRIPT']
  },
  search_sessions: { ...search, secret: ['Offers of the spring'] },
  list_sessions: { ...ALL, scopes: ['sessions:read'], args: () => ({}), secret: ['Offers of the spring'] },
  get_session: {
    ...OWNER,
    scopes: ['sessions:read'],
    args: id,
    secret: ['OWNED SUMMARY', 'OWNED NOTES', 'OWNED ITEM', 'owned-tag']
  },
  get_sessions: {
    ...ALL,
    scopes: ['sessions:read'],
    args: ({ session }) => ({ ids: [session] }),
    secret: ['OWNED SUMMARY', 'OWNED NOTES', 'OWNED ITEM', 'owned-tag']
  },
  get_transcript: { ...OWNER, scopes: ['transcripts:read'], args: id, secret: ['OWNED TRANSCRIPT'] },
  list_action_items: { ...ALL, scopes: ['sessions:read'], args: () => ({}), secret: ['OWNED ITEM'] },
  list_people: { ...ALL, scopes: ['sessions:read'], args: () => ({}), secret: ['Owned Person'] },
  list_folders: {
    ...ALL,
    scopes: ['folders:read', 'sessions:read'],
    args: () => ({}),
    secret: ['Owned folder']
  },
  list_shared_sessions: { ...ALL, scopes: ['sessions:read'], args: () => ({}) },
  get_stats: { ...ALL, scopes: ['sessions:read'], args: () => ({}) },
  get_account: { ...ALL, scopes: ['account:read'], args: () => ({}) },
  update_session: {
    ...OWNER,
    scopes: ['sessions:write'],
    args: ({ session }) => ({ id: session, favorite: true }),
    writes: true
  },
  change_tags: {
    ...ALL,
    scopes: ['sessions:write'],
    args: ({ session }) => ({ ids: [session], add: ['from-an-assistant'] }),
    secret: ['owned-tag'],
    writes: true
  },
  correct_transcript: {
    ...OWNER,
    scopes: ['transcripts:write'],
    // The text stays as it is, so that the version stays too.
    args: ({ session }) => ({ id: session, segments: [{ index: 1, text: 'OWNED REPLY' }], if_version: 1 }),
    writes: true
  },
  create_action_item: {
    ...OWNER,
    scopes: ['sessions:write'],
    args: ({ session }) => ({ id: session, text: 'From an assistant' }),
    writes: true
  },
  complete_action_item: {
    owner: 'answer',
    stranger: 'Action item not found',
    recipient: 'Action item not found',
    scopes: ['sessions:write'],
    args: ({ item }) => ({ id: item }),
    writes: true
  },
  update_action_item: {
    owner: 'answer',
    stranger: 'Action item not found',
    recipient: 'Action item not found',
    scopes: ['sessions:write'],
    args: ({ item }) => ({ id: item, due_date: '2026-03-09' }),
    writes: true
  },
  create_folder: { ...ALL, scopes: ['folders:write'], args: () => ({ name: 'From an assistant' }), writes: true },
  add_to_folder: {
    owner: 'answer',
    stranger: 'folder: folder not found',
    recipient: 'folder: folder not found',
    scopes: ['folders:write'],
    args: ({ session, folder }) => ({ id: session, folder }),
    writes: true
  }
}
