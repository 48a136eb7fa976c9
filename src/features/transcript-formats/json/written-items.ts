import type { ToldItem } from '../transcript.ts'

const BULLET = /^\s*(?:[-*•–]|\d{1,3}[.)])\s+/
const BOX = /^\[([ xX])\]\s*/
const HEAD = /^\*\*([^*]{1,100})\*\*:?\s*$/
const TIME = /\s*[[(]\d{1,3}(?::\d{2}){1,2}[\])]\s*$/
const MAX_LINE = 4_000

/** Reads action items that are written as lines, below the bold name of each assignee, as Fireflies writes them. */
export function readWrittenItems(text: string): ToldItem[] | null {
  const items: ToldItem[] = []
  let assignee: string | null = null
  for (const raw of text.split(/\r\n|\r|\n/)) {
    const line = raw.slice(0, MAX_LINE).trim()
    const [, name] = HEAD.exec(line) ?? []
    if (name !== undefined) assignee = /^unassigned$/i.test(name.trim()) ? null : name.trim().replace(/:$/, '')
    else if (line !== '') {
      const bare = line.replace(BULLET, '')
      const [box = '', mark = ' '] = BOX.exec(bare) ?? []
      items.push({ text: bare.slice(box.length).replace(TIME, ''), assignee, completed: mark !== ' ' })
    }
  }
  return items.length > 0 ? items : null
}
