/** The characters of a summary that a brief is made of. */
export const BRIEF_BEGINNING = 600

/** The first words of a summary on one line, without its headings and marks. */
export function toBrief(markdown: string, most: number) {
  const lines = markdown.split('\n').map(line => line.trim())
  const words = lines.filter(line => line !== '' && !line.startsWith('#'))
  const text = (words.length > 0 ? words : lines).map(withoutMarks).join(' ').trim()
  if (text.length <= most) return text
  const end = text.lastIndexOf(' ', most - 1)
  return `${text.slice(0, end > most / 2 ? end : most - 1).toWellFormed()}…`
}

function withoutMarks(line: string) {
  const bare = line.replace(/^(?:[-*+>]|\d{1,3}[.)]|#{1,6})\s+/, '')
  const words = bare.replace(/\[([^[\]]*)\]\([^()\s]*\)?/g, '$1')
  return words.replace(/\*\*|__|`/g, '').replace(/\\([\\`*[\]<>#+_-])/g, '$1')
}
