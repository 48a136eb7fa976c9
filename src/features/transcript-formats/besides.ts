import { type ImportDocument, storable } from '../../contract/import-document.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isBlank, oneLine } from '../../contract/text.ts'
import type { ParsedTranscript } from './transcript.ts'

interface Besides {
  fields: Pick<ImportDocument, 'tags' | 'summary' | 'action_items'>
  /** Sentences on what exceeds the limits of a session. */
  warnings: string[]
}

/** Returns what a file holds beside the speech, within the limits of a session. */
export function toBesides({ tags = [], summary, actionItems = [] }: ParsedTranscript): Besides {
  const warnings: string[] = []
  const fitting = [...new Set(tags.map(tag => oneLine(storable(tag))).filter(tag => !isBlank(tag)))].filter(
    tag => tag.length <= LIMITS.tags.length
  )
  const taken = fitting.slice(0, LIMITS.tags.max)
  if (taken.length < new Set(tags).size)
    warnings.push(`tags: only ${taken.length} are kept, at most ${LIMITS.tags.max} of ${LIMITS.tags.length} characters`)
  const text = storable(summary ?? '').trim()
  const isLong = text.length > LIMITS.summary
  if (isLong) warnings.push(`summary: left out, because it is longer than ${LIMITS.summary} characters`)
  const items = actionItems.filter(item => !isBlank(item.text)).map(toItem)
  const kept = items.filter(item => item.text.length <= LIMITS.actionItems.text).slice(0, LIMITS.actionItems.max)
  if (kept.length < items.length)
    warnings.push(`action items: ${items.length - kept.length} are left out, because they are too long or too many`)
  return {
    fields: {
      ...(taken.length > 0 && { tags: taken }),
      ...(text !== '' && !isLong && { summary: text }),
      ...(kept.length > 0 && { action_items: kept })
    },
    warnings
  }
}

function toItem({ text, assignee, completed }: NonNullable<ParsedTranscript['actionItems']>[number]) {
  const name = oneLine(storable(assignee ?? '')).slice(0, LIMITS.actionItems.assignee)
  return {
    text: storable(text).trim(),
    assignee: isBlank(name) ? null : name,
    due_date: null,
    source_start: null,
    completed
  }
}
