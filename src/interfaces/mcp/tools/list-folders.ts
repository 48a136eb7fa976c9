import { z } from 'zod'
import { FoldersQuery } from '../../../contract/folder.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { listFolders } from '../../../features/folders/operations.ts'
import { pageRows, quote } from '../answer-text.ts'
import { nextCursor } from '../arguments.ts'
import { nextPage, toNextPage } from '../next-page.ts'
import { defineTool } from '../tool.ts'

const { limit, cursor } = FoldersQuery.shape

export const FolderRow = z.object({ id: z.string(), name: z.string(), session_count: z.number() })

export const listFoldersTool = defineTool({
  name: 'list_folders',
  title: 'List folders',
  description: 'Lists the folders of conversations.',
  operation: 'listFolders',
  input: z.object({ limit: limit.meta({ description: '' }), cursor: cursor.meta({ description: nextCursor }) }),
  output: z.object({ folders: z.array(FolderRow), ...nextPage }),
  async answer({ services, actor }, { limit: asked = LIMITS.foldersPage.default, cursor: after }) {
    const fetch = async (most: number) => {
      const { folders: rows, next_cursor: next } = await listFolders(services, actor, { limit: most, cursor: after })
      return { rows, next }
    }
    const { text, rows, next } = await pageRows(
      'Folders',
      asked,
      fetch,
      ({ id, name, session_count: count, pinned }) => {
        return `- ${quote(name)}${pinned ? ' (pinned)' : ''}, ${count} conversations, id ${id}`
      }
    )
    const folders = rows.map(({ id, name, session_count }) => ({ id, name, session_count }))
    return { text, object: { folders, ...toNextPage(next) } }
  }
})
