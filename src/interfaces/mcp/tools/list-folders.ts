import { FoldersQuery } from '../../../contract/folder.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { listFolders } from '../../../features/folders/operations.ts'
import { pageRows, quote } from '../answer-text.ts'
import { defineTool } from '../tool.ts'

export const listFoldersTool = defineTool({
  name: 'list_folders',
  title: 'List folders',
  description: 'Lists the folders of conversations. Their names and ids are for the folder filter of other tools.',
  operation: 'listFolders',
  input: FoldersQuery,
  async answer({ services, actor }, { limit = LIMITS.foldersPage.default, cursor }) {
    const fetch = async (most: number) => {
      const { folders: rows, next_cursor: next } = await listFolders(services, actor, { limit: most, cursor })
      return { rows, next }
    }
    return await pageRows('Folders', limit, fetch, ({ id, name, session_count: count, pinned }) => {
      return `- ${quote(name)}${pinned ? ' (pinned)' : ''}, ${count} conversations, id ${id}`
    })
  }
})
