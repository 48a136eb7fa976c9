import { z } from 'zod'
import { folderIdOrName } from '../../../contract/common.ts'
import { addSessionToNamedFolder } from '../../../features/folders/operations.ts'
import { ownConversation } from '../arguments.ts'
import { defineTool, SESSION_IDS } from '../tool.ts'

export const addToFolderTool = defineTool({
  name: 'add_to_folder',
  title: 'Add to a folder',
  description: 'Adds a conversation to a folder; it stays in its other folders.',
  operation: 'addSessionToFolder',
  steps: { subject: SESSION_IDS, folder: 'list_folders has the ids and names, create_folder makes one' },
  input: z.object({
    id: ownConversation,
    folder: folderIdOrName.meta({ description: 'The id or the name of the folder.' })
  }),
  output: z.object({ id: z.string(), folder_ids: z.array(z.string()) }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async answer({ services, actor }, { id: { id }, folder }) {
    const { folder_ids: folders } = await addSessionToNamedFolder(services, actor, id, folder)
    return { text: `${id} is in ${folders.join(', ')}.`, object: { id, folder_ids: folders } }
  }
})
