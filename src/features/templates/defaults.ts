import type { NewDefaults } from '../../contract/summary-template.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import type { Db } from '../../platform/db/open.ts'
import { type DefaultRow, findFolderIds, replaceDefaults, selectDefaults } from './queries.ts'

/** Makes a template the default for what is sent. Throws not_found for an unknown folder, and conflict for what has another default. */
export async function saveDefaults(tx: Db, userId: string, templateId: string, { types, tags, folders }: NewDefaults) {
  const known = await selectDefaults(tx, userId)
  const others = known.filter(row => row.templateId !== templateId)
  const folderIds = folders && (await requireFolders(tx, userId, folders))
  const lists = [
    { kind: 'type', field: 'types', values: types },
    { kind: 'tag', field: 'tags', values: tags },
    { kind: 'folder', field: 'folders', values: folderIds }
  ] as const
  for (const { kind, field, values } of lists) {
    if (values === undefined) continue
    requireNoOther(others, kind, `default_for.${field}`, values)
    await replaceDefaults(tx, userId, templateId, kind, [...new Set(values)])
  }
}

function requireNoOther(
  others: readonly DefaultRow[],
  kind: DefaultRow['kind'],
  field: string,
  values: readonly string[]
) {
  for (const [at, value] of values.entries()) {
    const other = others.find(row => row.kind === kind && row.value === value)
    if (!other) continue
    const problem = `the template ${other.templateId} is the default for this ${kind} already`
    throw new ApiError('conflict', problem, { field: `${field}.${at}` })
  }
}

async function requireFolders(tx: Db, userId: string, names: readonly string[]) {
  const ids = await findFolderIds(tx, userId, names)
  return ids.map((id, at) => id ?? throwNotFound('Folder', { field: `default_for.folders.${at}` }))
}
