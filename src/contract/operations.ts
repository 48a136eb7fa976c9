import type { Scope } from './scopes.ts'

/**
 * The operations, each with the scopes of which an actor needs one. `owner` is for the user themselves and the operator, and for no token.
 * Routes, tools and the operations themselves take their scopes from here, by name.
 */
export const OPERATIONS = {
  // Sessions.
  listSessions: ['sessions:read'],
  getSession: ['sessions:read'],
  updateSession: ['sessions:write'],
  deleteSession: ['sessions:delete'],
  restoreSession: ['sessions:delete', 'sessions:write'],
  getStats: ['sessions:read'],
  exportSessions: ['sessions:read'],
  getOverview: ['sessions:read'],
  followSessions: ['sessions:read'],
  listSessionLabels: ['sessions:read'],
  getSummary: ['sessions:read'],
  getActionItems: ['sessions:read'],
  listActionItems: ['sessions:read'],
  updateActionItem: ['sessions:write'],
  // Imports.
  createSession: ['sessions:create'],
  uploadSession: ['sessions:create'],
  retrySession: ['sessions:create', 'sessions:write'],
  createUpload: ['sessions:create'],
  getUpload: ['sessions:create'],
  appendToUpload: ['sessions:create'],
  cancelUpload: ['sessions:create'],
  startCall: ['sessions:create'],
  updateCall: ['sessions:create'],
  // Transcripts, recordings and search.
  getTranscript: ['transcripts:read'],
  getTranscriptFile: ['transcripts:read'],
  correctTranscript: ['transcripts:write'],
  getMedia: ['media:read'],
  deleteRecording: ['sessions:delete'],
  searchSessions: ['sessions:search'],
  // Folders.
  listFolders: ['folders:read', 'sessions:read'],
  getFolder: ['folders:read', 'sessions:read'],
  createFolder: ['folders:write'],
  updateFolder: ['folders:write'],
  deleteFolder: ['folders:write'],
  markFolderOpened: ['folders:write'],
  addSessionToFolder: ['folders:write'],
  removeSessionFromFolder: ['folders:write'],
  // People.
  listPeople: ['sessions:read'],
  searchPeople: ['sessions:read'],
  getPerson: ['sessions:read'],
  listPersonSessions: ['sessions:read'],
  listSessionPeople: ['sessions:read'],
  createPerson: ['people:write'],
  updatePerson: ['people:write'],
  deletePerson: ['people:write'],
  mergePerson: ['people:write'],
  correctSpeaker: ['people:write'],
  // Sessions that others share.
  claimShare: ['sharing:manage'],
  listSharedSessions: ['sessions:read'],
  getSharedSession: ['sessions:read'],
  getSharedActionItems: ['sessions:read'],
  getSharedMedia: ['media:read'],
  getSharedTranscript: ['transcripts:read'],
  getSharedTranscriptFile: ['transcripts:read'],
  // Sharing.
  getSessionSharing: ['sharing:manage'],
  createShareLink: ['sharing:manage'],
  resetShareLink: ['sharing:manage'],
  createShareInvites: ['sharing:manage'],
  cancelShareInvite: ['sharing:manage'],
  removeShareRecipient: ['sharing:manage'],
  getShareScope: ['sharing:manage'],
  updateShareScope: ['sharing:manage'],
  // Events and webhooks.
  listEvents: ['events:read'],
  acknowledgeEvents: ['events:read'],
  listWebhooks: ['webhooks:manage'],
  getWebhook: ['webhooks:manage'],
  createWebhook: ['webhooks:manage'],
  updateWebhook: ['webhooks:manage'],
  deleteWebhook: ['webhooks:manage'],
  rotateWebhookSecret: ['webhooks:manage'],
  testWebhook: ['webhooks:manage'],
  listDeliveries: ['webhooks:manage'],
  listAttempts: ['webhooks:manage'],
  getExchange: 'owner',
  retryDelivery: ['webhooks:manage'],
  replayEvents: ['webhooks:manage'],
  // The account.
  getAccount: ['account:read'],
  getUser: 'owner',
  updateUser: 'owner',
  deleteUser: 'owner',
  inviteUserAgain: 'owner',
  createSignInUrl: 'owner',
  createToken: 'owner',
  listTokens: 'owner',
  revokeToken: 'owner',
  revokeTokens: 'owner',
  updateProfile: 'owner',
  listBrowsers: 'owner',
  signOutEverywhere: 'owner',
  unlinkProvider: 'owner',
  getRetention: 'owner',
  listAgents: 'owner',
  endAgent: 'owner',
  readAuthorization: 'owner',
  allowClient: 'owner',
  denyClient: 'owner'
} as const satisfies Record<string, readonly [Scope, ...Scope[]] | 'owner'>

export type Operation = keyof typeof OPERATIONS

/** The operations that a token may ask for. */
export type TokenOperation = {
  [Name in Operation]: (typeof OPERATIONS)[Name] extends 'owner' ? never : Name
}[Operation]
