import { describe, expect, test } from 'vitest'
import { files, isNode, type Node, nodesOf, read } from './source.ts'

/** Files outside `db` that hold statements. In a group they stand in `queries.ts`, or in the file of the operation that they are a step of. */
const sqlFiles = files.filter(file => !file.startsWith('db/') && holdsSql(read(file)))
const queryFiles = sqlFiles.filter(file => file.endsWith('/queries.ts'))

/** Besides `queries.ts`: the files that hold statements. Another one is a decision to make first. */
const SQL_BESIDE_QUERIES = [
  'accounts/console-sessions.ts',
  'accounts/count-requests.ts',
  'accounts/idempotency-keys.ts',
  'accounts/lookup.ts',
  'accounts/oauth/clients.ts',
  'accounts/oauth/grants.ts',
  'accounts/oidc/identities.ts',
  'accounts/quota-uses.ts',
  'accounts/recount.ts',
  'accounts/room.ts',
  'accounts/sign-in-links.ts',
  'accounts/tokens.ts',
  'deletions/delete-user.ts',
  'deletions/erase-user.ts',
  'deletions/ledger.ts',
  'deletions/reapply.ts',
  'deletions/retention.ts',
  'deletions/unshared-guests.ts',
  'events/arrivals.ts',
  'events/record.ts',
  'events/retention.ts',
  'events/session-changes.ts',
  'events/texts.ts',
  'events/whole-body.ts',
  'ingest/ignored-changes.ts',
  'ingest/processing-health.ts',
  'ingest/reindex.ts',
  'ingest/retry-failed.ts',
  'ingest/retry.ts',
  'ingest/uploads/leftovers.ts',
  'ingest/vector-indexes.ts',
  'jobs/job-counts.ts',
  'jobs/session-jobs.ts',
  'jobs/turns.ts',
  'people/apply-correction.ts',
  'people/change-person.ts',
  'people/correct-speaker.ts',
  'people/count-people.ts',
  'people/delete-person.ts',
  'people/index-person.ts',
  'people/match-people.ts',
  'people/merge.ts',
  'people/person-row.ts',
  'people/reassign-speakers.ts',
  'people/record-people.ts',
  'people/talk-time.ts',
  'recordings/delete.ts',
  'search-index/index-fields.ts',
  'search-index/index-name.ts',
  'search-index/index-session.ts',
  'search-index/terms.ts',
  'search-index/write-terms.ts',
  'search/excerpts.ts',
  'search/lexical.ts',
  'search/query-terms.ts',
  'search/query.ts',
  'search/quoted.ts',
  'search/search.ts',
  'search/semantic.ts',
  'server/retention.ts',
  'server/secret-key.ts',
  'sessions/admin-sessions.ts',
  'sessions/change.ts',
  'sessions/counters.ts',
  'sessions/delete.ts',
  'sessions/index-action-items.ts',
  'sessions/labels.ts',
  'sessions/list-action-items.ts',
  'sessions/list-changed.ts',
  'sessions/list.ts',
  'sessions/memberships.ts',
  'sessions/open-attempts.ts',
  'sessions/overview-queries.ts',
  'sessions/position.ts',
  'sessions/record-progress.ts',
  'sessions/session-row.ts',
  'sessions/stats.ts',
  'sharing/claim.ts',
  'sharing/find-sharing.ts',
  'sharing/lookup.ts',
  'sharing/rate-limit.ts',
  'sharing/recipient-media.ts',
  'sharing/recipient-queries.ts',
  'sharing/retention.ts',
  'webhooks/delivery/claim.ts',
  'webhooks/delivery/erase.ts',
  'webhooks/delivery/health.ts',
  'webhooks/delivery/leases.ts',
  'webhooks/delivery/owners.ts',
  'webhooks/delivery/record-attempts.ts',
  'webhooks/delivery/retention.ts',
  'webhooks/stored-secrets.ts'
]

/** Functions that are for no single user, by the reason. */
const FOR_NO_SINGLE_USER: Record<string, string[]> = {
  'an address names its user': ['accounts/lookup.ts: findUserOfEmail'],
  'an identity at a provider names its user': ['accounts/oidc/identities.ts: admitIdentity'],
  'the operator sees the health of the server': [
    'ingest/processing-health.ts: getProcessingHealth',
    'jobs/job-counts.ts: inspectQueues',
    'webhooks/delivery/health.ts: getDeliveryHealth'
  ],
  'the operator lists or finds users and tokens': [
    'accounts/lookup.ts: findCounted',
    'accounts/lookup.ts: findUserId',
    'accounts/lookup.ts: selectUsers',
    'accounts/recount.ts: findMiscounted',
    'accounts/tokens.ts: selectAllTokens'
  ],
  'a token or a secret of a share names its owner': [
    'accounts/sign-in-links.ts: claimSignInLink',
    'accounts/sign-in-links.ts: createSignInLink',
    'accounts/sign-in-links.ts: findOpenSignInLinks',
    'accounts/sign-in-links.ts: findSignInLink',
    'accounts/sign-in-links.ts: limitMailbox',
    'accounts/sign-in-links.ts: useUpSignIn',
    'accounts/tokens.ts: findTokenOwner',
    'accounts/tokens.ts: isValidToken',
    'accounts/count-requests.ts: findOwners',
    'accounts/oauth/grants.ts: findAccessToken',
    'accounts/count-requests.ts: countArrived',
    'accounts/count-requests.ts: saveDayCounts',
    'accounts/tokens.ts: findLastUses',
    'sharing/lookup.ts: findSecretPlace',
    'sharing/lookup.ts: findOffer'
  ],
  'a client of OAuth is no user': [
    'accounts/oauth/clients.ts: findClient',
    'accounts/oauth/clients.ts: insertClient',
    'accounts/oauth/clients.ts: limitWaiting',
    'accounts/oauth/clients.ts: noteUse',
    'accounts/oauth/clients.ts: removeClient',
    'accounts/oauth/clients.ts: removeUnusedClients',
    'accounts/oauth/clients.ts: saveDocument',
    'accounts/oauth/clients.ts: selectOperatorClients',
    'accounts/oauth/grants.ts: selectGrantsOf'
  ],
  'background work goes over all users': [
    'accounts/oauth/grants.ts: removeOldGrants',
    'deletions/ledger.ts: openLedger',
    'deletions/reapply.ts: reapplyDeletions',
    'deletions/retention.ts: findExpired',
    'deletions/unshared-guests.ts: removeUnsharedGuests',
    'accounts/console-sessions.ts: removeOldConsoleSessions',
    'accounts/sign-in-links.ts: removeOldSignInLinks',
    'accounts/idempotency-keys.ts: removeOldKeys',
    'accounts/tokens.ts: listExpiring',
    'accounts/tokens.ts: removeOldTokens',
    'events/arrivals.ts: openArrivals',
    'events/retention.ts: removeOldEvents',
    'events/retention.ts: removeOldTexts',
    'events/retention.ts: removeOldTombstones',
    'ingest/uploads/leftovers.ts: removeLeftoverUploads',
    'ingest/reindex.ts: reindexSessions',
    'ingest/retry-failed.ts: listFailedSessions',
    'ingest/retry-failed.ts: retryEachFailed',
    'ingest/retry-failed.ts: retryFailed',
    'ingest/retry.ts: requeueSessions',
    'ingest/vector-indexes.ts: buildVectorIndexes',
    'jobs/session-jobs.ts: findSessionJobs',
    'people/match-people.ts: matchPeople',
    'sessions/open-attempts.ts: openAttempts',
    'sharing/lookup.ts: findKnownInvites',
    'sharing/retention.ts: removeOldShares',
    'webhooks/delivery/claim.ts: claimDeliveries',
    'webhooks/delivery/claim.ts: isAnyDue',
    'webhooks/delivery/claim.ts: listDueOwners',
    'webhooks/delivery/leases.ts: releaseClaims',
    'webhooks/delivery/leases.ts: expireLeases',
    'webhooks/delivery/leases.ts: listExpiredOwners',
    'webhooks/delivery/leases.ts: listLateOwners',
    'webhooks/delivery/leases.ts: repairQueue',
    'webhooks/delivery/owners.ts: openOwners',
    'webhooks/delivery/retention.ts: removeOldAttempts',
    'webhooks/delivery/record-attempts.ts: recordAttempts'
  ],
  'the secret key is the server’s': [
    'server/retention.ts: removeExpired',
    'server/secret-key.ts: isKnownKey',
    'server/secret-key.ts: claimKey',
    'server/secret-key.ts: replaceKey',
    'webhooks/stored-secrets.ts: reencryptSecrets',
    'webhooks/stored-secrets.ts: countUnreadable'
  ],
  'the dictionaries of the database are nobody’s': ['search-index/terms.ts: stemWords']
}

describe('statements', () => {
  test('stand in queries.ts and in the files of the table', () => {
    expect(sqlFiles.filter(file => !queryFiles.includes(file))).toEqual(SQL_BESIDE_QUERIES)
  })

  test.each(queryFiles)('of %s each take the database and then the user they are for', file => {
    const queries = exportedFunctions(read(file))
    expect(queries).not.toEqual([])
    const ownerless = queries.filter(
      ({ parameters }) => !/^(db|tx): (Db|Queryable|Database), userId: string(,|$)/.test(parameters.join(', '))
    )
    expect(ownerless.map(({ name, parameters }) => `src/${file}: ${name}(${parameters})`)).toEqual([])
  })

  test('take the user they are for wherever they stand, with the exceptions of the table', () => {
    const ownerless = sqlFiles.flatMap(file =>
      exportedFunctions(read(file))
        .filter(({ parameters: [first = '', ...others] }) => takesDatabase(first) && !others.some(takesUser))
        .map(({ name }) => `${file}: ${name}`)
    )
    expect(ownerless.toSorted()).toEqual(Object.values(FOR_NO_SINGLE_USER).flat().toSorted())
  })
})

function holdsSql(source: string) {
  return (
    /db\/(drizzle|matches)\.ts'/.test(source) &&
    /\bsql`|\b(db|tx|inner)\b\s*\.(select|insert|update|delete)\(/.test(source)
  )
}

/** The first parameter is a database, or what a function works with and a database among it. */
function takesDatabase(parameter: string) {
  return /\b(db|tx|tools|pipeline|database)\b|LedgerOptions/.test(parameter)
}

function takesUser(parameter: string) {
  return /\b(userId|ownerId|recipientId|actor)\b/.test(parameter)
}

/** Exported functions in either spelling, and with them every exported value. */
function exportedFunctions(source: string) {
  return nodesOf(source)
    .filter(({ type, exportKind }) => /^Export/.test(type) && exportKind !== 'type')
    .flatMap(({ declaration, specifiers }) => {
      if (isNode(declaration) && /^TS/.test(declaration.type)) return []
      if (isNode(declaration) && Array.isArray(declaration.declarations)) return declaration.declarations as Node[]
      return [declaration, ...((specifiers as Node[] | undefined) ?? [])].filter(isNode)
    })
    .map(node => {
      const made = isNode(node.init) ? node.init : node
      const parameters = (Array.isArray(made.params) ? (made.params as Node[]) : []).map(({ start, end }) =>
        source.slice(start, end)
      )
      return { name: isNode(node.id) ? String(node.id.name) : source.slice(node.start, node.end), parameters }
    })
}
