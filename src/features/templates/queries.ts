import { newId } from '../../platform/core/ids.ts'
import { eq, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { summaryTemplateDefaults, summaryTemplates } from '../../platform/db/schema/index.ts'
import { folderKey } from '../../platform/text/fold.ts'

export type TemplateRow = typeof summaryTemplates.$inferSelect
export type DefaultRow = typeof summaryTemplateDefaults.$inferSelect

/** Returns all templates of a user, the oldest first. There are few. */
export async function selectTemplates(db: Db, userId: string) {
  return await db
    .select()
    .from(summaryTemplates)
    .where(eq(summaryTemplates.userId, userId))
    .orderBy(summaryTemplates.templateId)
}

export async function findTemplateRow(db: Db, userId: string, templateId: string) {
  const [row] = await db.select().from(summaryTemplates).where(matches(summaryTemplates, { userId, templateId }))
  return row
}

/** Finds one by its name in any case. */
export async function findTemplateNamed(db: Db, userId: string, name: string) {
  const nameKey = folderKey(name.trim())
  const [row] = await db.select().from(summaryTemplates).where(matches(summaryTemplates, { userId, nameKey }))
  return row
}

export async function countTemplates(db: Db, userId: string) {
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from summary_templates where user_id = ${userId}`
  )
  return rows[0]?.count ?? 0
}

export async function insertTemplate(
  tx: Db,
  userId: string,
  { name, language, sections, now }: Pick<TemplateRow, 'name' | 'language' | 'sections'> & { now: Date }
) {
  const times = { createdAt: now, updatedAt: now }
  const row = { templateId: newId('tpl'), name, nameKey: folderKey(name), language, sections, ...times }
  await tx.insert(summaryTemplates).values({ userId, ...row })
  return { userId, ...row }
}

export async function saveTemplate(
  tx: Db,
  userId: string,
  templateId: string,
  change: Partial<Pick<TemplateRow, 'name' | 'language' | 'sections'>>,
  now: Date
) {
  const nameKey = change.name === undefined ? {} : { nameKey: folderKey(change.name) }
  await tx
    .update(summaryTemplates)
    .set({ ...change, ...nameKey, updatedAt: now })
    .where(matches(summaryTemplates, { userId, templateId }))
}

/** Returns whether there was such a template. */
export async function deleteTemplateRow(tx: Db, userId: string, templateId: string) {
  await tx.delete(summaryTemplateDefaults).where(matches(summaryTemplateDefaults, { userId, templateId }))
  const isOne = matches(summaryTemplates, { userId, templateId })
  return (await tx.delete(summaryTemplates).where(isOne).returning({ id: summaryTemplates.templateId })).length > 0
}

/** Returns the types, tags and folders that have a default template, in the order in which they are shown. */
export async function selectDefaults(db: Db, userId: string) {
  const { kind, value } = summaryTemplateDefaults
  return await db
    .select()
    .from(summaryTemplateDefaults)
    .where(eq(summaryTemplateDefaults.userId, userId))
    .orderBy(kind, value)
}

/** Makes a template the default for these values of a kind, and for no others. */
export async function replaceDefaults(
  tx: Db,
  userId: string,
  templateId: string,
  kind: DefaultRow['kind'],
  values: readonly string[]
) {
  await tx.delete(summaryTemplateDefaults).where(matches(summaryTemplateDefaults, { userId, templateId, kind }))
  if (values.length === 0) return
  const ofKind = { kind, templateId }
  await tx
    .insert(summaryTemplateDefaults)
    .values(values.map(value => ({ userId, ...ofKind, value, folderId: kind === 'folder' ? value : null })))
}

/** Returns the ids of the folders that exist of those named by id or by name, in the order of the names; undefined for one that does not. */
export async function findFolderIds(db: Db, userId: string, names: readonly string[]) {
  const keys = sql.param(names.map(name => folderKey(name.trim())))
  const { rows } = await db.execute<{ id: string; key: string }>(sql`
    select folder_id as id, name_key as key from folders
    where user_id = ${userId} and (folder_id = any(${sql.param([...names])}::text[]) or name_key = any(${keys}::text[]))`)
  return names.map(name => {
    const key = folderKey(name.trim())
    return (rows.find(({ id }) => id === name) ?? rows.find(row => row.key === key))?.id
  })
}

/**
 * Returns the id of the default template of a session: a folder's before a tag's, and a tag's before its type's. Of several, the one that was
 * made first; the built-in ones come last, by id.
 */
export async function findDefaultId(db: Db, userId: string, sessionId: string) {
  const { rows } = await db.execute<{ id: string }>(sql`
    select d.template_id as id from sessions s
    join summary_template_defaults d on d.user_id = ${userId} and (
      (d.kind = 'type' and d.value = s.type) or (d.kind = 'tag' and d.value = any(s.tags))
      or (d.kind = 'folder' and exists (
        select from folder_sessions f where f.user_id = ${userId} and f.session_id = s.session_id and f.folder_id = d.folder_id)))
    where s.user_id = ${userId} and s.session_id = ${sessionId}
    order by array_position(array['folder', 'tag', 'type'], d.kind), d.template_id collate "C" limit 1`)
  return rows[0]?.id
}
