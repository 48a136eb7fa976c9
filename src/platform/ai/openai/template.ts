import { headingKey, type Template } from '../../text/template.ts'
import type { Ask } from './chat.ts'
import { toLine } from './text.ts'

/** A heading may be marked, numbered or closed with number signs. */
const HEADING = /^#{1,6}[ \t]+(\S.*)$/gmu

/** Asks with the sections of a template in place of the usual ones. */
export function followTemplate(ask: Ask, { sections }: Template): Ask {
  const listed = sections.map(
    ({ heading, content }, at) =>
      `${at + 1}. ${toLine(heading, 200)}${content === '' ? '' : `: ${toLine(content, 2_000)}`}`
  )
  const instructions = `The owner of the conversation wants other sections. In place of the sections named above, the minutes have
these second-level headings, word for word and in this order, each with what is said behind its colon:
${listed.join('\n')}
Leave out a section for which nothing was said; never invent anything to fill one.`
  return (question, signal) => ask({ ...question, instructions: `${question.instructions}\n\n${instructions}` }, signal)
}

/** The headings of a template that a summary lacks. */
export function listLeftOut(summary: string, { sections }: Template) {
  const written = new Set([...summary.matchAll(HEADING)].map(([, heading = '']) => headingKey(heading)))
  return sections.flatMap(({ heading }) => (written.has(headingKey(heading)) ? [] : [heading]))
}
