import type { ExportPart } from '../../contract/export.ts'
import type { Db } from '../../platform/db/open.ts'
import { findUser } from '../access/queries.ts'
import { selectFolders } from '../folders/queries.ts'
import type { Services } from '../services.ts'
import { findSharing } from '../sharing/find-sharing.ts'
import { findShareScope } from '../sharing/queries.ts'
import { BUILT_IN } from '../templates/built-in.ts'
import { selectDefaults, selectTemplates } from '../templates/queries.ts'
import { toTemplate } from '../templates/template-row.ts'
import { selectTerms } from '../terms/queries.ts'
import { toTerm } from '../terms/term-row.ts'
import { type Counts, KIND, type Manifest, VERSION } from './manifest.ts'
import { countLeftOut, type ExportedRow, type ExportRow, findNextExported, selectPeople } from './queries.ts'

type List = 'folders' | 'people' | 'terms' | 'templates'

/** The parts of a library that an export has, read while it is written. */
export interface Library {
  parts: ReadonlySet<ExportPart>
  hasRecordings: boolean
  lists(): AsyncIterable<[List, object[]]>
  sessions(): AsyncIterable<ExportedRow>
  /** The shared parts of a session, and its recipients; nothing for an export without shares, and for a session that is shared no more. */
  sharesOf(sessionId: string): Promise<object[]>
  manifest(counts: Counts, sha256: string): Promise<Manifest>
}

interface LibraryOptions {
  at: Date
  /** Called after each session. */
  onDone: () => Promise<void>
}

/** Opens the library of the export's owner. */
export function openLibrary(
  { db, publicUrl }: Pick<Services, 'db' | 'publicUrl'>,
  row: ExportRow,
  { at, onDone }: LibraryOptions
): Library {
  const { userId } = row
  const parts: ReadonlySet<ExportPart> = new Set(row.parts)
  return {
    parts,
    hasRecordings: row.recordings,
    async *lists() {
      if (parts.has('folders')) yield ['folders', await selectFolders(db, userId)]
      if (parts.has('people')) yield ['people', await selectPeople(db, userId)]
      if (parts.has('terms')) yield ['terms', (await selectTerms(db, userId)).map(toTerm)]
      if (parts.has('templates')) yield ['templates', await selectExportedTemplates(db, userId)]
    },
    async *sessions() {
      let after = ''
      for (;;) {
        const next = await findNextExported(db, userId, after, row)
        if (!next) return
        yield next
        after = next.session.sessionId
        await onDone()
      }
    },
    async sharesOf(sessionId) {
      if (!parts.has('shares')) return []
      const [sharing, scope] = [
        await findSharing(db, userId, sessionId, at),
        await findShareScope(db, userId, sessionId)
      ]
      if (!sharing || (sharing.people.length === 0 && sharing.pending_invites.length === 0)) return []
      const invites = sharing.pending_invites.map(({ email, sent_at }) => ({ email, sent_at }))
      return [{ session_id: sessionId, scope, people: sharing.people, pending_invites: invites }]
    },
    async manifest(counts, sha256) {
      const user = await findUser(db, userId)
      return {
        kind: KIND,
        version: VERSION,
        created_at: at.toISOString(),
        issuer: publicUrl,
        user: { id: userId, name: user?.name ?? null, email: user?.email ?? null },
        format: row.format,
        parts: row.parts,
        since: row.since?.toISOString() ?? null,
        recordings: row.recordings,
        counts,
        left_out: await countLeftOut(db, userId),
        sha256
      }
    }
  }
}

/** Returns the templates of a user, and the built-in ones that are a default. Folders are named, since another library has other ids. */
async function selectExportedTemplates(db: Db, userId: string) {
  const defaults = await selectDefaults(db, userId)
  const nameOf = new Map((await selectFolders(db, userId)).map(({ id, name }) => [id, name]))
  return [...BUILT_IN, ...(await selectTemplates(db, userId))]
    .map(row => toTemplate(row, defaults))
    .filter(({ built_in, default_for }) => !built_in || Object.values(default_for).some(values => values.length > 0))
    .map(({ default_for: { types, tags, folders }, ...template }) => ({
      ...template,
      default_for: { types, tags, folders: folders.map(id => nameOf.get(id) ?? id) }
    }))
}
