import { z } from 'zod'
import { EXPORT_FORMATS, EXPORT_PARTS } from '../../contract/export.ts'

export const MANIFEST = 'manifest.json'
export const SIGNATURE = 'manifest.jws'
/** The digests of all other files, in the form that `sha256sum --check` reads. */
export const SUMS = 'SHA256SUMS'
export const LISTS = {
  folders: 'folders.json',
  people: 'people.json',
  terms: 'terms.json',
  templates: 'templates.json',
  shares: 'shares.json'
} as const

/** The first line of a list. Each entry is a line of its own, so that a large list can be read line by line. */
export const LIST_BEGIN = '['

export function listJson(entries: readonly object[]) {
  return entries.length === 0
    ? '[]\n'
    : `${LIST_BEGIN}\n${entries.map(entry => JSON.stringify(entry)).join(',\n')}\n]\n`
}

export const KIND = 'parlance-library'
export const VERSION = 1

const count = z.int().nonnegative()

/** The description of an archive. Its signature covers it, and it has the digest of the list of digests. */
export const Manifest = z.object({
  kind: z.literal(KIND),
  version: z.int(),
  created_at: z.string(),
  /** The public URL of the server. */
  issuer: z.string(),
  user: z.object({ id: z.string(), name: z.string().nullable(), email: z.string().nullable() }),
  format: z.enum(EXPORT_FORMATS),
  parts: z.array(z.enum(EXPORT_PARTS)),
  since: z.string().nullable(),
  recordings: z.boolean(),
  counts: z.object({
    sessions: count,
    transcripts: count,
    recordings: count,
    folders: count,
    people: count,
    terms: count,
    /** Archives of before have none. */
    templates: count.default(0),
    shares: count,
    files: count
  }),
  left_out: z.object({ processing: count, trash: count }),
  /** The SHA-256 of the list of digests in a zip, and of all lines before this one in ndjson. */
  sha256: z.string()
})
export type Manifest = z.infer<typeof Manifest>
export type Counts = Manifest['counts']

/** The counts of an archive before anything is in it. Files are counted at its end. */
export function noCounts(): Omit<Counts, 'files'> {
  return { sessions: 0, transcripts: 0, recordings: 0, folders: 0, people: 0, terms: 0, templates: 0, shares: 0 }
}

/** Returns whether a file with this name may be an archive of a library. */
export function isArchiveName(name: string) {
  return name.toLowerCase().endsWith('.zip')
}
