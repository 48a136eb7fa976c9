import { z } from 'zod'
import { folderName } from '../../../contract/folder.ts'
import { createFolder } from '../../../features/folders/operations.ts'
import { NOTICE, quote } from '../answer-text.ts'
import { defineTool } from '../tool.ts'
import { FolderRow } from './list-folders.ts'

export const createFolderTool = defineTool({
  name: 'create_folder',
  title: 'Create a folder',
  description: 'Creates a folder. If one has the name already, it is returned.',
  operation: 'createFolder',
  input: z.object({ name: folderName.meta({ description: 'The name of the folder.' }) }),
  output: FolderRow,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async answer({ services, actor }, { name: wanted }) {
    const { id, name, session_count } = await createFolder(services, actor, { name: wanted, color: null })
    return { text: `${NOTICE}\nFolder ${quote(name)}, id ${id}.`, object: { id, name, session_count } }
  }
})
