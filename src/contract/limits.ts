/** The numbers the API promises, by name. */
export const LIMITS = {
  requestsPerMinute: 60,
  requestsPerDay: 10_000,
  /** A client address may send this times the minute's limit of a token without a valid token, and as much to open documents and pages. */
  addressFactor: 10,
  /** How soon a token may end, and how late. */
  tokenSeconds: { min: 60, max: 365 * 86_400 },
  sessionsPage: { default: 20, max: 100 },
  personPage: { default: 20, max: 50 },
  eventsPage: { default: 50, max: 200, bytes: 4 * 1024 * 1024 },
  eventDays: 30,
  /** Of an owner's events, as far as they are kept. */
  eventBytes: 1024 ** 3,
  deliveriesPage: { default: 50, max: 200 },
  /** Events that one replay looks at. */
  replay: 10_000,
  title: 500,
  notes: 50_000,
  /** Of a summary that an app writes. */
  summary: 200_000,
  tags: { max: 20, length: 100 },
  actionItems: { max: 200, text: 2_000, assignee: 200, dueDate: 100 },
  folderName: 100,
  bulkSessions: 50,
  webhooks: 5,
  webhookUrl: 2_048,
  sharedPage: { default: 20, max: 100, min: 20 },
  /** How many of the newest shared sessions the pages cover. */
  sharedSessions: 500,
  sharing: {
    writesPerMinute: 30,
    invitesPerDay: 200,
    linkDays: 30,
    /** How long one that has expired is still known, to say so. */
    keptDays: 7,
    emails: 10,
    email: 320,
    message: 500,
    inviteId: 1_500,
    resendMs: 3_600_000
  },
  searchResults: { default: 10, max: 50 },
  /** Characters of a query: more than anybody asks, and less than would cost more than other searches. */
  query: 10_000,
  /** Distinct words of a session that search indexes: of what was said, and of title, tags, people, notes and summary together. */
  indexedWords: { said: 20_000, about: 5_000 },
  passages: 3,
  snippet: 300,
  /** Room for every field of a search at its limit, with each character escaped. */
  searchBytes: 160 * 1024,
  bodyBytes: 64 * 1024,
  /** Objects, lists, texts, numbers, booleans and nulls in one body; the largest change of a session has about 1,500. */
  bodyValues: 10_000,
  /** Of an import document, and of a file. */
  documentBytes: 64 * 1024 * 1024,
  /** Of an import document: five for each of 200,000 segments, and as many again for everything else. */
  documentValues: 1_200_000,
  uploadBytes: 4 * 1024 ** 3,
  /** Room for every field of a PATCH at its limit, with each character escaped. */
  patchBytes: 7 * 1024 * 1024
} as const
