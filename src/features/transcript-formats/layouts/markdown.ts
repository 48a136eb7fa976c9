const HEADING = /^#{1,6}\s*/
const BULLET = /^\s{0,8}[-*+]\s+(?=\*\*|\[?\d+:\d)/
const STRONG = /\*\*((?:\\.|[^*\\])+)\*\*|__((?:\\.|[^_\\])+)__/g
const EMPHASIS = /(?<![\p{L}\p{N}*\\])[*_]((?:\\.|[^*_\\])+)[*_](?![\p{L}\p{N}*])/gu
const LINK = /\[((?:\\.|[^[\]\\]){1,200})\]\((?:https?:|mailto:)[^()\s]{1,500}\)/g
const ESCAPE = /\\([!-/:-@[-`{-~])/g

/** Removes the markup of a line of Markdown: headings, emphasis, links and escapes. */
export function plainMarkdown(line: string) {
  const plain = line.replace(HEADING, '').replace(BULLET, '').replace(LINK, '$1')
  const unmarked = plain.replace(STRONG, (_, stars, lines) => stars ?? lines ?? '').replace(EMPHASIS, '$1')
  return withoutEscapes(unmarked).trimEnd()
}

export function withoutEscapes(text: string) {
  return text.replace(ESCAPE, '$1')
}
