import type { Scope } from '../../../contract/scopes.ts'
import type { Tool } from '../tool.ts'
import { addToFolderTool } from './add-to-folder.ts'
import { changeTagsTool } from './change-tags.ts'
import { completeActionItemTool } from './complete-action-item.ts'
import { correctTranscriptTool } from './correct-transcript.ts'
import { createActionItemTool } from './create-action-item.ts'
import { createFolderTool } from './create-folder.ts'
import { fetch } from './fetch.ts'
import { getAccountTool } from './get-account.ts'
import { getSessionTool } from './get-session.ts'
import { getSessionsTool } from './get-sessions.ts'
import { getStatsTool } from './get-stats.ts'
import { getTranscriptTool } from './get-transcript.ts'
import { listActionItemsTool } from './list-action-items.ts'
import { listFoldersTool } from './list-folders.ts'
import { listPeopleTool } from './list-people.ts'
import { listSessionsTool } from './list-sessions.ts'
import { listSharedSessionsTool } from './list-shared-sessions.ts'
import { search } from './search.ts'
import { searchSessionsTool } from './search-sessions.ts'
import { updateActionItemTool } from './update-action-item.ts'
import { updateSessionTool } from './update-session.ts'

/**
 * The tools of assistants. None of them shares, invites, posts elsewhere, makes tokens or links, or deletes: an assistant also reads texts of
 * strangers, who must not get a way out of the library through it.
 */
export const TOOLS: readonly Tool[] = [
  search,
  fetch,
  searchSessionsTool,
  listSessionsTool,
  getSessionTool,
  getSessionsTool,
  getTranscriptTool,
  listActionItemsTool,
  listPeopleTool,
  listFoldersTool,
  listSharedSessionsTool,
  getStatsTool,
  getAccountTool,
  updateSessionTool,
  changeTagsTool,
  correctTranscriptTool,
  createActionItemTool,
  completeActionItemTool,
  updateActionItemTool,
  createFolderTool,
  addToFolderTool
]

/** The scopes of which a token needs one. */
export const AGENT_SCOPES: readonly Scope[] = [...new Set(TOOLS.flatMap(({ scopes }) => scopes))]
