import { z } from 'zod'
import { pathId } from '../../../contract/common.ts'
import { addSessionToFolder } from '../../../features/folders/operations.ts'
import { conversation } from '../arguments.ts'
import { defineTool, SESSION_IDS } from '../tool.ts'

export const addToFolderTool = defineTool({
  name: 'add_to_folder',
  title: 'Put a conversation into a folder',
  description: 'Adds a conversation to a folder; it stays in its other folders.',
  operation: 'addSessionToFolder',
  steps: { subject: `${SESSION_IDS}, list_folders has the ids of folders` },
  input: z.object({
    session_id: conversation,
    folder_id: pathId('The id of the folder, which list_folders shows.', 'fld_01m7x2c9w1f6nbsk0h7v3q8zde')
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async answer({ services, actor }, { session_id: { id }, folder_id: folderId }) {
    const { folder_ids: folders } = await addSessionToFolder(services, actor, id, folderId)
    return `${id} is in ${folders.join(', ')}.`
  }
})
