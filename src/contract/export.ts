import { z } from 'zod'
import { flag, oneOf, timestamp, warnings } from './common.ts'
import { isInstant, toUtc } from './instant.ts'
import { FIELD_LIMITS, LIMITS } from './limits.ts'

export const EXPORT_FORMATS = ['zip', 'ndjson'] as const
/** The parts of an export besides the sessions themselves. */
export const EXPORT_PARTS = ['transcripts', 'folders', 'people', 'terms', 'templates', 'shares'] as const
export type ExportPart = (typeof EXPORT_PARTS)[number]
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

const partsError = `a list of ${EXPORT_PARTS.join(', ')}`
const sinceError = 'a date and time with its time zone, such as 2026-03-02T10:00:00Z, or a date'

export const ExportRequest = z
  .object(
    {
      format: oneOf(EXPORT_FORMATS).default('zip').meta({
        description:
          '`zip`: files for people and programs, which can be imported again. `ndjson`: a JSON value on each line.'
      }),
      parts: z
        .array(oneOf(EXPORT_PARTS), { error: partsError })
        .max(FIELD_LIMITS.listed, partsError)
        .default([...EXPORT_PARTS])
        .overwrite(sent => EXPORT_PARTS.filter(part => sent.includes(part)))
        .meta({
          description:
            'What to export besides the sessions with their summaries, notes, tags and action items. Default: all. `transcripts` and `terms` need the scope `transcripts:read`, `shares` needs `sharing:manage`.'
        }),
      since: z
        .string({ error: sinceError })
        .max(FIELD_LIMITS.instant, sinceError)
        .refine(isInstant, { error: sinceError, abort: true })
        .overwrite(toUtc)
        .nullable()
        .default(null)
        .meta({
          description: 'Exports only sessions that have changed at or after this instant. Null for all.',
          examples: ['2026-03-01T00:00:00.000Z']
        }),
      recordings: flag.default(false).meta({
        description: 'Whether a zip has the recordings too. Needs the scope `media:read`.'
      })
    },
    { error: 'a JSON object; {} for the defaults' }
  )
  .refine(({ format, recordings }) => format === 'zip' || !recordings, {
    path: ['recordings'],
    error: 'false with the format ndjson, which has no files'
  })
  .meta({ id: 'ExportRequest' })
export type ExportRequest = z.output<typeof ExportRequest>

export const LibraryExport = z
  .object({
    id: z.string().meta({ examples: ['exp_01m7xb2r9e4fkd8v0t5s6n1q3w'] }),
    status: z.enum(['running', 'completed', 'failed']),
    format: z.enum(EXPORT_FORMATS),
    parts: z.array(z.enum(EXPORT_PARTS)),
    since: timestamp.nullable(),
    recordings: z.boolean(),
    sessions_total: z.int().meta({ description: 'The sessions to export.' }),
    sessions_done: z.int().meta({ description: 'Those that are written.' }),
    bytes: z.int().nullable().meta({ description: 'The size of the file. Null until it is complete.' }),
    download_url: z.string().nullable().meta({
      description:
        'The signed address of the file, which needs no token and takes a `Range`. Null until the file is complete, and for a token that lacks a scope of its parts.'
    }),
    error: z.string().nullable().meta({ description: 'Why it failed.' }),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
    expires_at: timestamp.meta({ description: 'When the export and its file are removed.' }),
    warnings
  })
  .meta({ id: 'LibraryExport' })
export type LibraryExport = z.infer<typeof LibraryExport>

export const LibraryExportList = z
  .object({
    exports: z.array(LibraryExport).meta({
      description: `All that are not removed yet, the newest first: at most ${LIMITS.exports.perUser}.`
    })
  })
  .meta({ id: 'LibraryExportList' })
export type LibraryExportList = z.infer<typeof LibraryExportList>

const example: LibraryExport = {
  id: 'exp_01m7xb2r9e4fkd8v0t5s6n1q3w',
  status: 'completed',
  format: 'zip',
  parts: [...EXPORT_PARTS],
  since: null,
  recordings: false,
  sessions_total: 120,
  sessions_done: 120,
  bytes: 4_718_592,
  download_url:
    'https://parlance.example.com/v1/export-files/usr_01m7x0b5t2e9s8d4qj3mzk6cvw/exp_01m7xb2r9e4fkd8v0t5s6n1q3w?expires=1772532600&signature=3bq…',
  error: null,
  created_at: '2026-03-02T10:10:00.000Z',
  finished_at: '2026-03-02T10:10:04.000Z',
  expires_at: '2026-03-03T10:10:00.000Z'
}

export const EXPORT_EXAMPLES = {
  completed: example,
  accepted: {
    ...example,
    status: 'running' as const,
    sessions_done: 0,
    bytes: null,
    download_url: null,
    finished_at: null
  },
  list: { exports: [example] }
}
