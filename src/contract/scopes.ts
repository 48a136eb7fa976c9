/** The scopes of tokens, each with the sentence that pages show to its owner. */
export const SCOPES = {
  'sessions:read': 'List and read sessions, their action items and statistics, bulk export, people and shared sessions',
  'sessions:create': 'Import conversations, and process failed ones again',
  'sessions:write': 'Change sessions, their action items and the templates of their summaries',
  'sessions:delete': 'Delete sessions',
  'sessions:search': 'Search sessions',
  'transcripts:read': 'Read transcripts, own and shared',
  'transcripts:write': 'Correct the text of own transcripts, and manage the terms that correct it',
  'media:read': 'Get links to audio and video, own and shared',
  'account:read': 'Read the account',
  'folders:read': 'List and read folders',
  'folders:write': 'Create, change and delete folders and what is in them',
  'people:write': 'Create, change and merge people, and correct who speaks in own sessions',
  'events:read': 'Read and acknowledge the event feed',
  'webhooks:manage': 'Manage webhooks',
  'sharing:manage': 'Manage who has access to own sessions'
} as const

export type Scope = keyof typeof SCOPES

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[]

export function isScope(name: string): name is Scope {
  return Object.hasOwn(SCOPES, name)
}
