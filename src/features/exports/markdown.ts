import { stringify } from 'yaml'
import type { ActionItem } from '../../contract/action-item.ts'
import { oneLine } from '../../contract/text.ts'
import { escapeMarkdown } from '../../platform/text/escape.ts'
import type { ExportedRow } from './queries.ts'

/** The session for readers, as Markdown with YAML front matter. `transcript` is a transcript as Markdown, with its title. */
export function toMarkdown({ session, folders, people }: ExportedRow, transcript: string | null) {
  const matter = {
    id: session.sessionId,
    title: session.title,
    date: session.timestamp?.toISOString() ?? null,
    duration_seconds: session.durationSeconds,
    type: session.type,
    platform: session.platform,
    language: session.language,
    tags: session.tags,
    folders,
    people,
    favorite: session.favorite
  }
  const items = (session.actionItems ?? []).map(toItemLine)
  const parts = [
    `---\n${stringify(matter, { lineWidth: 0 })}---`,
    `# ${escapeMarkdown(oneLine(session.title))}`,
    session.summary && `## Summary\n\n${session.summary.trim()}`,
    items.length > 0 && `## Action items\n\n${items.join('\n')}`,
    session.notes && `## Notes\n\n${session.notes.trim()}`,
    transcript && `## Transcript\n\n${withoutTitle(transcript).trim()}`
  ]
  return `${parts.filter(part => part).join('\n\n')}\n`
}

function toItemLine({ text, completed, assignee, due_date: due }: ActionItem) {
  const about = [assignee, due].filter(Boolean).join(', ')
  return `- [${completed ? 'x' : ' '}] ${escapeMarkdown(oneLine(text))}${about && ` (${escapeMarkdown(oneLine(about))})`}`
}

/** The title of a transcript is its first line. */
function withoutTitle(transcript: string) {
  return transcript.slice(transcript.indexOf('\n') + 1)
}
