import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { MirroredSession } from './mirror-source.ts'

/** Bytes of a name that every file system takes, with room for an id and a number. */
const MAX_NAME_BYTES = 120

export interface Link {
  title: string
  path: string
}

export const digestOf = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')

/**
 * A name that is valid on every file system, in links and in Git: without separators, control characters, the signs that Windows or Obsidian refuse, and
 * without a dot or space at its ends. The end of the id keeps names apart.
 */
export function fileNameOf(title: string, id: string) {
  const plain = title.normalize('NFC').replace(/[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*#^[\]%`]/gu, ' ')
  const words = plain.split(/\s+/).filter(Boolean).join(' ')
  return `${cut(words).replace(/^[. ]+|[. ]+$/g, '') || 'Untitled'} ${id.slice(-6)}.md`
}

function cut(text: string) {
  let bytes = 0
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += Buffer.byteLength(segment)
    if (bytes > MAX_NAME_BYTES) break
    kept += segment
  }
  return kept
}

/** A relative Markdown link, which Obsidian and the pages of Git hosts both follow. */
export function linkTo({ title, path }: Link, from: string) {
  const target = posix.relative(posix.dirname(from), path).split('/').map(encodeURIComponent).join('/')
  return `[${oneLine(title).replace(/[\\[\]]/g, '\\$&')}](${target.replace(/[()]/g, sign => (sign === '(' ? '%28' : '%29'))})`
}

export function sessionPage({ detail, transcript }: MirroredSession, path: string, people: Link[], folders: Link[]) {
  const { summary, notes, action_items: items = [] } = detail
  const front = {
    id: detail.id,
    title: detail.title,
    date: detail.timestamp,
    type: detail.type,
    platform: detail.platform,
    duration_seconds: detail.duration_seconds,
    tags: detail.tags ?? [],
    people: people.map(({ title }) => title),
    folders: folders.map(({ title }) => title),
    updated_at: detail.updated_at
  }
  const tasks = items.map(({ completed, text, assignee, due_date: due }) => {
    const about = [assignee, due].filter(Boolean).join(', ')
    return `- [${completed ? 'x' : ' '}] ${oneLine(text)}${about && ` (${oneLine(about)})`}`
  })
  return page(front, detail.title, [
    section('', [listOf('People', people, path), listOf('Folders', folders, path)].filter(Boolean).join('\n')),
    section('Summary', summary),
    section('Action items', tasks.join('\n')),
    section('Notes', notes),
    section('Transcript', transcript?.split('\n').filter(Boolean).join('\n\n'))
  ])
}

/** The page of a person or a folder, with its sessions, newest first. */
export function groupPage(id: string, name: string, path: string, sessions: (Link & { at: string })[]) {
  const newest = sessions.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : a.path < b.path ? -1 : 1))
  const lines = newest.map(session => `- ${session.at.slice(0, 10)} ${linkTo(session, path)}`)
  return page({ id, name }, name, [section('', lines.join('\n'))])
}

/** Front matter of YAML, of which JSON is a part. */
function page(front: Record<string, unknown>, title: string, sections: string[]) {
  const lines = Object.entries(front).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return `---\n${lines.join('\n')}\n---\n\n# ${oneLine(title)}\n${sections.join('')}`
}

function section(heading: string, text: string | null | undefined) {
  if (!text?.trim()) return ''
  return `\n${heading && `## ${heading}\n\n`}${text.trim()}\n`
}

function listOf(label: string, links: Link[], from: string) {
  return links.length > 0 ? `${label}: ${links.map(link => linkTo(link, from)).join(', ')}  ` : ''
}

function oneLine(text: string) {
  return text.split(/\s+/).filter(Boolean).join(' ')
}
