import { describe, expect, test } from 'vitest'
import { files, isNode, type Node, nodesOf, read } from './source.ts'

/** Files outside `db` that hold statements. In a group they stand in `queries.ts`, or in the file of the operation that they are a step of. */
const sqlFiles = files.filter(file => !file.startsWith('platform/db/') && holdsSql(read(file)))
const queryFiles = sqlFiles.filter(file => file.endsWith('/queries.ts'))

/** Besides `queries.ts`: the files that hold statements. Another one is a decision to make first. */
const SQL_BESIDE_QUERIES = [
  'features/access/count-requests.ts',
  'features/access/idempotency-keys.ts',
  'features/access/lookup.ts',
  'features/access/quota-uses.ts',
  'features/access/room.ts',
  'features/access/tokens.ts',
  'features/accounts/recount.ts',
  'features/deletions/delete-user.ts',
  'features/deletions/delete.ts',
  'features/deletions/erase-user.ts',
  'features/deletions/ledger.ts',
  'features/deletions/old-rows.ts',
  'features/deletions/reapply.ts',
  'features/deletions/retention.ts',
  'features/deletions/unshared-guests.ts',
  'features/events/arrivals.ts',
  'features/events/record.ts',
  'features/events/remove-old.ts',
  'features/events/session-changes.ts',
  'features/events/texts.ts',
  'features/events/whole-body.ts',
  'features/exports/remove-old.ts',
  'features/ingest/add-recording.ts',
  'features/ingest/ignored-changes.ts',
  'features/ingest/indexed-passages.ts',
  'features/ingest/library/restore.ts',
  'features/ingest/processing-health.ts',
  'features/ingest/reindex.ts',
  'features/ingest/retry-failed.ts',
  'features/ingest/retry.ts',
  'features/ingest/summary-requests.ts',
  'features/ingest/uploads/leftovers.ts',
  'features/ingest/vector-indexes.ts',
  'features/library/admin-sessions.ts',
  'features/library/count-people.ts',
  'features/library/counters.ts',
  'features/library/index-action-items.ts',
  'features/library/index/index-fields.ts',
  'features/library/index/index-name.ts',
  'features/library/index/index-session.ts',
  'features/library/index/replace-passages.ts',
  'features/library/index/terms.ts',
  'features/library/index/write-terms.ts',
  'features/library/labels.ts',
  'features/library/list-changed.ts',
  'features/library/list.ts',
  'features/library/memberships.ts',
  'features/library/open-attempts.ts',
  'features/library/person-row.ts',
  'features/library/position.ts',
  'features/library/record-people.ts',
  'features/library/record-progress.ts',
  'features/library/session-row.ts',
  'features/library/strips.ts',
  'features/library/summaries.ts',
  'features/library/talk-time.ts',
  'features/library/titled.ts',
  'features/oauth/clients.ts',
  'features/oauth/grants.ts',
  'features/people/apply-correction.ts',
  'features/people/change-person.ts',
  'features/people/correct-speaker.ts',
  'features/people/delete-person.ts',
  'features/people/figures.ts',
  'features/people/index-person.ts',
  'features/people/match-people.ts',
  'features/people/merge.ts',
  'features/people/reassign-speakers.ts',
  'features/people/unconfirmed.ts',
  'features/recordings/delete.ts',
  'features/search/candidates.ts',
  'features/search/excerpts.ts',
  'features/search/operations.ts',
  'features/search/query-terms.ts',
  'features/search/query.ts',
  'features/search/quoted.ts',
  'features/search/similarities.ts',
  'features/sessions/briefs.ts',
  'features/sessions/change.ts',
  'features/sessions/items-among.ts',
  'features/sessions/library-counts.ts',
  'features/sessions/list-action-items.ts',
  'features/sessions/overview-queries.ts',
  'features/sessions/stats.ts',
  'features/sharing/claim.ts',
  'features/sharing/find-sharing.ts',
  'features/sharing/invites.ts',
  'features/sharing/recipient-media.ts',
  'features/sharing/recipient-queries.ts',
  'features/sharing/remove-old.ts',
  'features/sign-in/console-sessions.ts',
  'features/sign-in/oidc/identities.ts',
  'features/sign-in/sign-in-links.ts',
  'features/webhooks/delivery/claim.ts',
  'features/webhooks/delivery/erase.ts',
  'features/webhooks/delivery/exchange.ts',
  'features/webhooks/delivery/health.ts',
  'features/webhooks/delivery/leases.ts',
  'features/webhooks/delivery/owners.ts',
  'features/webhooks/delivery/record-attempts.ts',
  'features/webhooks/stored-secrets.ts',
  'platform/jobs/job-counts.ts',
  'platform/jobs/session-jobs.ts',
  'platform/jobs/turns.ts',
  'server/secret-key.ts'
]

/** Functions that are for no single user, by the reason. */
const FOR_NO_SINGLE_USER: Record<string, string[]> = {
  'an address names its user': ['features/access/lookup.ts: findUserOfEmail'],
  'an identity at a provider names its user': ['features/sign-in/oidc/identities.ts: admitIdentity'],
  'the operator sees the health of the server': [
    'features/ingest/processing-health.ts: getProcessingHealth',
    'platform/jobs/job-counts.ts: inspectQueues',
    'features/webhooks/delivery/health.ts: getDeliveryHealth'
  ],
  'the operator lists or finds users and tokens': [
    'features/access/lookup.ts: findCounted',
    'features/access/lookup.ts: findUserId',
    'features/access/lookup.ts: selectUsers',
    'features/accounts/recount.ts: findMiscounted',
    'features/access/tokens.ts: selectAllTokens'
  ],
  'a token or a secret of a share names its owner': [
    'features/sign-in/sign-in-links.ts: claimSignInLink',
    'features/sign-in/sign-in-links.ts: countCodeTries',
    'features/sign-in/sign-in-links.ts: createSignInLink',
    'features/sign-in/sign-in-links.ts: findOpenSignInLinks',
    'features/sign-in/sign-in-links.ts: findSignInLink',
    'features/sign-in/sign-in-links.ts: limitInvitations',
    'features/sign-in/sign-in-links.ts: limitLinks',
    'features/sign-in/sign-in-links.ts: lockMailbox',
    'features/sign-in/sign-in-links.ts: spendCodeTry',
    'features/sign-in/sign-in-links.ts: useUpSignIn',
    'features/access/tokens.ts: findTokenOwner',
    'features/access/tokens.ts: isValidToken',
    'features/access/count-requests.ts: findOwners',
    'features/oauth/grants.ts: findAccessToken',
    'features/access/count-requests.ts: countArrived',
    'features/access/count-requests.ts: saveDayCounts',
    'features/access/tokens.ts: findLastUses',
    'features/sharing/claim.ts: findSecretPlace',
    'features/sharing/claim.ts: findOffer'
  ],
  'a client of OAuth is no user': [
    'features/oauth/clients.ts: findClient',
    'features/oauth/clients.ts: insertClient',
    'features/oauth/clients.ts: limitWaiting',
    'features/oauth/clients.ts: noteAttempt',
    'features/oauth/clients.ts: noteUse',
    'features/oauth/clients.ts: removeClient',
    'features/oauth/clients.ts: removeUnusedClients',
    'features/oauth/clients.ts: saveDocument',
    'features/oauth/clients.ts: selectOperatorClients',
    'features/oauth/clients.ts: useAssertion',
    'features/oauth/grants.ts: selectGrantsOf'
  ],
  'background work goes over all users': [
    'features/oauth/grants.ts: removeOldGrants',
    'features/deletions/ledger.ts: openLedger',
    'features/deletions/reapply.ts: reapplyDeletions',
    'features/deletions/retention.ts: findExpired',
    'features/deletions/old-rows.ts: removeOldRows',
    'features/deletions/unshared-guests.ts: removeUnsharedGuests',
    'features/access/tokens.ts: listExpiring',
    'features/access/tokens.ts: removeOldTokens',
    'features/events/arrivals.ts: openArrivals',
    'features/events/remove-old.ts: removeOldEvents',
    'features/events/remove-old.ts: removeOldTexts',
    'features/events/remove-old.ts: removeOldTombstones',
    'features/exports/remove-old.ts: removeOldExports',
    'features/ingest/uploads/leftovers.ts: removeLeftoverUploads',
    'features/ingest/reindex.ts: reindexSessions',
    'features/ingest/retry-failed.ts: listFailedSessions',
    'features/ingest/retry-failed.ts: retryEachFailed',
    'features/ingest/retry-failed.ts: retryFailed',
    'features/ingest/retry.ts: requeueSessions',
    'features/ingest/vector-indexes.ts: buildVectorIndexes',
    'platform/jobs/session-jobs.ts: findSessionJobs',
    'features/people/match-people.ts: matchPeople',
    'features/library/open-attempts.ts: openAttempts',
    'features/sharing/claim.ts: findKnownInvites',
    'features/sharing/remove-old.ts: removeOldShares',
    'features/webhooks/delivery/claim.ts: claimDeliveries',
    'features/webhooks/delivery/claim.ts: isAnyDue',
    'features/webhooks/delivery/claim.ts: listDueOwners',
    'features/webhooks/delivery/leases.ts: releaseClaims',
    'features/webhooks/delivery/leases.ts: expireLeases',
    'features/webhooks/delivery/leases.ts: listExpiredOwners',
    'features/webhooks/delivery/leases.ts: listLateOwners',
    'features/webhooks/delivery/leases.ts: repairQueue',
    'features/webhooks/delivery/owners.ts: openOwners',
    'features/webhooks/delivery/record-attempts.ts: recordAttempts'
  ],
  'the secret key is the server’s': [
    'server/secret-key.ts: isKnownKey',
    'server/secret-key.ts: claimKey',
    'server/secret-key.ts: replaceKey',
    'features/webhooks/stored-secrets.ts: reencryptSecrets',
    'features/webhooks/stored-secrets.ts: countUnreadable'
  ],
  'the dictionaries of the database are nobody’s': ['features/library/index/terms.ts: stemWords']
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
