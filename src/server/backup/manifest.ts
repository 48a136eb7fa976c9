import { z } from 'zod'

/** The last entry of a backup: without it the file is cut off. */
export const MANIFEST = 'manifest.json'

/** Names that a backup may have: relative, below one of its folders, and never upwards. */
const path = z
  .string()
  .regex(/^(?:database|media)\/[^\0]+$|^deletions\.jsonl$/)
  .refine(name => !name.split('/').some(part => part === '' || part === '.' || part === '..'))

export const Manifest = z.object({
  format: z.literal('parlance-backup'),
  version: z.literal(1),
  /** The version of the program that made it. */
  made_by: z.string(),
  made_at: z.iso.datetime(),
  /** The place of the recordings. */
  recordings: z.enum(['included', 'in the bucket', 'left out']),
  /** The files at the moment of the backup. The last entry of a name counts, and an entry that is not here was gone by then. */
  files: z.record(path, z.object({ bytes: z.number(), sha256: z.string() }))
})
export type Manifest = z.infer<typeof Manifest>
