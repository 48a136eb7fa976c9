import type { TemplateSection } from '../../text/template.ts'
import { jsonb, pgTable, primaryKey, text, uniqueIndex } from '../drizzle.ts'
import { folders } from './folders.ts'
import { instant, ofUser, partOf } from './users.ts'

/** The summary templates that users made. The built-in ones have no rows. */
export const summaryTemplates = pgTable(
  'summary_templates',
  {
    userId: text().notNull(),
    templateId: text().notNull(),
    name: text().notNull(),
    /** `folderKey` of the name. An owner has one template with each key. */
    nameKey: text().notNull(),
    /** ISO 639-1. Null for the language of the conversation. */
    language: text(),
    sections: jsonb().$type<TemplateSection[]>().notNull(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.templateId] }),
    uniqueIndex('summary_templates_name_key').on(table.userId, table.nameKey),
    ofUser('summary_templates_user_fk', table)
  ]
)

/** The types, tags and folders that have a default template, which may be a built-in one. */
export const summaryTemplateDefaults = pgTable(
  'summary_template_defaults',
  {
    userId: text().notNull(),
    kind: text().$type<'type' | 'tag' | 'folder'>().notNull(),
    /** The type, the tag or the id of the folder. */
    value: text().notNull(),
    templateId: text().notNull(),
    /** The value, if it is a folder, so that the default ends with it. */
    folderId: text()
  },
  table => [
    primaryKey({ columns: [table.userId, table.kind, table.value] }),
    ofUser('summary_template_defaults_user_fk', table),
    partOf('summary_template_defaults_folder_fk', [table.userId, table.folderId], [folders.userId, folders.folderId])
  ]
)
