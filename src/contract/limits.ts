export const LIMITS = {
  requestsPerMinute: 60,
  /** The requests of a token to `/mcp`: an assistant calls several tools at once, and reads what it finds. */
  assistantsPerMinute: 300,
  requestsPerDay: 10_000,
  /** A client address may send this multiple of a token's minute limit without a valid token, and the same again to public pages. */
  addressFactor: 10,
  /** The connections at once, in total and of one client address, and the requests in flight on a connection. */
  connections: { total: 10_000, perAddress: 2_000, requests: 16 },
  /** The lifetime of a token. */
  tokenSeconds: { min: 60, max: 365 * 86_400 },
  /** The tokens that a user may make in the console: those that work, and those of the last day. */
  tokens: 100,
  /** The days for which a token that was revoked or has expired is listed. */
  endedTokenDays: 90,
  /** The days before a token expires on which its owner gets a mail. From the first on, answers name the expiry. */
  tokenNoticeDays: { first: 30, last: 7 },
  /** Signing in to the console by a mailed link. `path` is the longest address that it leads back to. */
  signIn: {
    linkMinutes: 15,
    /** The link in the mail to a person whom the operator invites. */
    invitationHours: 24,
    /**
     * The links that a mailbox is sent in the life of one: those of one network, or of a browser that has signed in before, and those of all networks. So
     * nobody waits for longer than that, whoever asked before.
     */
    mails: { perNetwork: 5, total: 20 },
    invitationsPerHour: 10,
    /**
     * The codes in these mails: the tries of each, and all wrong ones in a day by browsers that have not signed in with the address: of an address, by a
     * network, and for the addresses of all users. A thousand tries find one of a million codes once in a thousand days.
     */
    codes: { tries: 5, perDay: 20, perNetwork: 100, total: 1_000 },
    requestsPerMinute: 10,
    providerPerMinute: 60,
    sessionDays: 30,
    guestHours: 24,
    /** A guest with whom nothing has been shared for so long is deleted. */
    guestDays: 30,
    keptHours: 24,
    /** Twice in one request, encoded once as a query and once as cookies, this stays below the longest headers. */
    path: 4_500
  },
  /**
   * Agents that connect by OAuth. `failuresPerMinute` counts by client address, `requestsPerMinute` by user, and `registrationsPerMinute` by address
   * and what the client says about itself, and by network. `waiting` are
   * the clients that no user has connected: of one client address those that it registered, of one user those whose documents they opened.
   */
  oauth: {
    codeSeconds: 60,
    accessSeconds: 3_600,
    refreshDays: 90,
    /** The agents of a user, with those that ended in the last hours. */
    agents: 100,
    /** The refresh tokens of an agent that are known, used ones too: more than one for each hour of `refreshDays`. */
    refreshTokens: 3_000,
    repeatSeconds: 60,
    registrationsPerMinute: { perClient: 20, perNetwork: 60 },
    failuresPerMinute: 30,
    requestsPerMinute: 30,
    waiting: { total: 5_000, perSender: 500, hours: 24 },
    unusedDays: 100,
    name: 100,
    redirectUris: 10,
    uri: 2_000,
    state: 2_000,
    documentBytes: 16 * 1024,
    documentSeconds: 3_600,
    /** The time before another attempt to read a document or keys after a failed one. */
    retrySeconds: 60,
    /** The furthest expiry of an assertion. */
    assertionSeconds: 3_600,
    keysBytes: 64 * 1024,
    /** The addresses whose keys a process remembers. */
    keySets: 200
  },
  /** The work that waits at once, in total and of one user: changes for a connection to the database, and documents for a process that reads or writes them. */
  waiting: { total: 100, perOwner: 20 },
  /** The pages that a signed-in user may load in a minute. */
  pagesPerMinute: 600,
  /** The pages that follow the processing of sessions at once, in total and of one user, and the sessions that one follows. */
  openStreams: { total: 1_000, perOwner: 12 },
  followedSessions: 50,
  sessionsPage: { default: 20, max: 100 },
  actionItemsPage: { default: 20, max: 100 },
  templatesPage: { default: 20, max: 100 },
  foldersPage: { default: 50, max: 200 },
  peoplePage: { default: 50, max: 200 },
  personPage: { default: 20, max: 50 },
  eventsPage: { default: 50, max: 200, bytes: 4 * 1024 * 1024 },
  /** The longest time that a poll of the feed waits for an event. */
  eventsWaitSeconds: 30,
  eventDays: 30,
  tombstoneDays: 30,
  /** The stored events of one user. */
  eventBytes: 1024 ** 3,
  deliveriesPage: { default: 50, max: 200 },
  /** The events that one replay call reads. */
  replay: 10_000,
  title: 500,
  notes: 50_000,
  /** The characters of a summary that a client writes. */
  summary: 200_000,
  tags: { max: 20, length: 100 },
  actionItems: { max: 200, text: 2_000, assignee: 200, dueDate: 100 },
  folderName: 100,
  bulkSessions: 50,
  /** The longest recording, and the last time in one. */
  recordingSeconds: 999_999_999,
  webhooks: 5,
  webhookUrl: 2_048,
  /** The headers of a webhook, and the characters of the name and the value of each. */
  webhookHeaders: { max: 10, name: 100, value: 1_000 },
  sharedPage: { default: 20, max: 100, min: 20 },
  /** The newest shared sessions that pages reach. */
  sharedSessions: 500,
  sharing: {
    writesPerMinute: 30,
    invitesPerDay: 200,
    linkDays: 30,
    /** An expired link is kept so long, so that its page can say that it expired. */
    keptDays: 7,
    emails: 10,
    email: 320,
    message: 500,
    inviteId: 1_500,
    resendMs: 3_600_000
  },
  searchResults: { default: 10, max: 50 },
  /** The characters of a query. */
  query: 10_000,
  /** The distinct terms that search indexes per session: of its transcript, and of its other fields together. */
  indexedWords: { said: 20_000, about: 5_000 },
  passages: 3,
  snippet: 300,
  /** Every field of a search at its limit with each character escaped. */
  searchBytes: 160 * 1024,
  idempotencyHours: 24,
  bodyBytes: 64 * 1024,
  /** The JSON values in one body; the largest PATCH of a session has about 1,500. */
  bodyValues: 10_000,
  /** The bytes of an import document or a file. */
  documentBytes: 16 * 1024 * 1024,
  /** The JSON values in an import document: five per segment. Ten hours with the time of each word have as many. */
  documentValues: 600_000,
  /** Bodies above a size wait on disk. The bytes of those that are open at once, in total and of one user. */
  openBodies: { above: 256 * 1024, total: 512 * 1024 * 1024, perOwner: 64 * 1024 * 1024 },
  /**
   * Answers above a size that their clients have not read yet: the bytes in total and of one user. In total they take at most `ofMemory` of the
   * server's memory, and those of one user half as much.
   */
  openAnswers: { above: 256 * 1024, total: 128 * 1024 * 1024, perOwner: 64 * 1024 * 1024, ofMemory: 1 / 8 },
  /**
   * Pages with a long transcript, and bulk exports, that are being made or read at once: in total and of one user, and of guests, who take no room of
   * users. One of which the client has read nothing for `stallMs` is ended.
   */
  longReads: { users: { total: 24, perOwner: 6 }, guests: { total: 8, perOwner: 2 }, stallMs: 10_000 },
  /** The characters of a transcript: 80 hours of speech. */
  transcript: 4_000_000,
  /** The lines that one request corrects. */
  correctedLines: 500,
  /** The terms of a user; the heard forms of one and their characters together, and the characters of what is meant. */
  terms: { perUser: 500, forms: 50, heard: 2_000, meant: 200 },
  /**
   * The summary templates of a user; the characters of a name, the sections of one with the characters of a heading and of what belongs there, and
   * the tags and folders that one is the default for.
   */
  templates: { perUser: 100, name: 100, sections: 20, heading: 100, content: 1_000, defaults: 50 },
  /** Exports of a library: how many of a user are kept at once, the time after which one is removed, and the problems that the answer to its import names. */
  exports: { perUser: 5, hours: 24, problems: 100 },
  /** The labels of speakers in a transcript. */
  speakerLabels: 1_000,
  uploadBytes: 4 * 1024 ** 3,
  uploadMs: 3_600_000,
  /** The uploads that arrive or are being stored at once, in total and of one user. */
  openUploads: { total: 64, perOwner: 8 },
  /** Uploads in parts: how many of a user may be unfinished, and the time after which one is removed. */
  partialUploads: { perUser: 100, ms: 86_400_000 },
  /**
   * The defaults of a user's quotas: 1,700 hours of sound at 128 kbit/s, and more sessions, folders and people than one person comes by. Two thousand
   * sessions a day let an archive of ten years be imported in a week.
   */
  quotas: { bytes_stored: 100 * 1024 ** 3, sessions_per_day: 2_000, folders: 10_000, people: 50_000 },
  /**
   * The characters of one answer to an assistant, about 6,000 tokens, the bytes of its request, the conversations that one call names, and the
   * passages of a search result with the characters of each.
   */
  agents: { answer: 24_000, requestBytes: 256 * 1024, sessions: 10, passages: 4, passage: 400 },
  /** The characters of an answer to an assistant that calls the operations of the profile `actions`; GPTs refuse longer ones. */
  actionsAnswer: 99_000,
  /** Every field of a PATCH at its limit with each character escaped. */
  patchBytes: 7 * 1024 * 1024
} as const

/** The limits of single fields and lists. Every shape that has the field refers to its limit here, whichever door it belongs to. */
export const FIELD_LIMITS = {
  /** As long as the request line and the headers may be together. */
  pathPart: 16_384,
  /** An id in a body. */
  id: 1_000,
  /** An id or a name to find. */
  idOrName: 1_000,
  cursor: 500,
  /** A date and time with nanoseconds and an offset has 35. */
  instant: 40,
  timeZone: 64,
  ifMatch: 2_000,
  /** The entries of a list of words of the API, such as scopes. They may repeat. */
  listed: 100,
  externalId: 200,
  /** The header Upload-Metadata: a file name of the longest kind in base64, and more. */
  uploadMetadata: 4_000,
  /** The longest algorithm and digest have 52. */
  uploadChecksum: 100,
  tusVersion: 20,
  platform: 100,
  /** The name of a person, of a speaker or of the contact of a call. */
  personName: 200,
  userName: 100,
  usersPage: { default: 50, max: 100 },
  language: 35,
  telephone: 50,
  /** The telephone service of a call. */
  provider: 100,
  fileName: 200,
  fileNameBytes: 255,
  mediaPlace: 2_000,
  shareUrl: 2_048,
  /** The folders that one import names. */
  folders: 50,
  speakers: 1_000,
  /** The text of one segment: an hour without a pause has about 60,000 characters. */
  segmentText: 1_000_000,
  /** zod makes an issue for each invalid entry of a list, so this bounds the memory that a hostile document takes. */
  entries: 100_000
} as const
