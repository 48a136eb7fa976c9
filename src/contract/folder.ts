import { z } from 'zod'
import {
  CURSOR_ERROR,
  changeOf,
  flag,
  integer,
  oneOf,
  optionalPageEnd,
  sentOnce,
  timestamp,
  visible,
  warnings,
  wholeNumber
} from './common.ts'
import { FIELD_LIMITS, LIMITS } from './limits.ts'

const colorError = 'a colour as #RRGGBB, or null for none'

export const folderName = visible(LIMITS.folderName, 'name', name => name.trim()).meta({ examples: ['Clients'] })

const SORT_ORDERS = ['newest', 'oldest', 'title'] as const
const sortMeaning = 'How a client sorts the sessions inside; absent means newest. The sessions list stays newest first.'
const orderMeaning =
  'The place among the folders, the lowest first; a folder without one comes after those that have one.'

const keepMeaning =
  'Whether retention deletes neither the sessions of the folder nor their recordings; absent means that it does.'

export const Folder = z
  .object({
    id: z.string().meta({ examples: ['fld_01m7x2c9w1f6nbsk0h7v3q8zde'] }),
    name: z.string().meta({ examples: ['Clients'] }),
    color: z
      .string()
      .nullable()
      .meta({ examples: ['#3366ff'] }),
    session_count: z.number().meta({ description: 'The number of its sessions in the sessions list.' }),
    created_at: timestamp.optional(),
    updated_at: timestamp.optional().meta({ description: 'When the folder or its membership last changed.' }),
    pinned: z.boolean().optional().meta({ description: 'Absent means not pinned.' }),
    sort_order: z.enum(SORT_ORDERS).optional().meta({ description: sortMeaning }),
    order: z
      .number()
      .optional()
      .meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: orderMeaning }),
    last_opened_at: timestamp.optional().meta({ description: 'When a client last opened the folder.' }),
    keep: z.boolean().optional().meta({ description: keepMeaning }),
    warnings
  })
  .meta({ id: 'Folder', description: 'Optional fields are absent until they are first set.' })
export type Folder = z.infer<typeof Folder>

export const FolderList = z
  .object({
    folders: z.array(Folder).meta({ description: 'Pinned first, then by `order`, then by name.' }),
    ...optionalPageEnd
  })
  .meta({ id: 'FolderList' })
export type FolderList = z.infer<typeof FolderList>

/** Whether the last folder is pinned, its `order`, and its name in the form in which names are compared. */
export const FOLDER_CURSOR = /^(pinned|other)_(\d{1,16}|none)_(.{1,400})$/su

const cursorError = `${CURSOR_ERROR}, unchanged`

export const FoldersQuery = z.object({
  limit: wholeNumber(1, LIMITS.foldersPage.max)
    .optional()
    .meta({
      description: `The maximum number of folders to return. Default: all, or ${LIMITS.foldersPage.default} with \`cursor\`.`
    }),
  cursor: z
    .string(sentOnce(cursorError))
    .max(FIELD_LIMITS.cursor, cursorError)
    .regex(FOLDER_CURSOR, cursorError)
    .optional()
    .meta({ pattern: undefined, description: 'The `next_cursor` of the previous page.' })
})
export type FoldersQuery = z.output<typeof FoldersQuery>

const color = z
  .string({ error: colorError })
  .regex(/^#[0-9a-fA-F]{6}$/, colorError)
  .nullable()
  .meta({ examples: ['#3366ff'] })

const bodyError = 'a JSON object with the fields of the folder'

export const FolderCreate = z
  .object({ name: folderName, color: color.default(null) }, bodyError)
  .meta({ id: 'FolderCreate' })
export type FolderCreate = z.infer<typeof FolderCreate>

export const FolderPatch = changeOf(
  'FolderPatch',
  {
    name: folderName,
    color: color.meta({ description: 'Null means no color.' }),
    pinned: flag,
    sort_order: oneOf(SORT_ORDERS).meta({ description: sortMeaning }),
    order: integer(0, Number.MAX_SAFE_INTEGER).meta({ description: orderMeaning }),
    keep: flag.meta({ description: keepMeaning })
  },
  bodyError,
  'at least one of name, color, pinned, sort_order, order and keep'
)
export type FolderPatch = z.infer<typeof FolderPatch>

export const FolderMembershipResponse = z
  .object({
    session_id: z.string(),
    folder_id: z.string(),
    folder_ids: z.array(z.string()).meta({ description: 'All folders of the session.' })
  })
  .meta({ id: 'FolderMembershipResponse' })
export type FolderMembershipResponse = z.infer<typeof FolderMembershipResponse>
