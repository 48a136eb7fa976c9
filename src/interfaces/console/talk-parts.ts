import type { Person } from '../../contract/person.ts'
import type { Chapter, Voice } from '../../platform/ports/transcript-writer.ts'
import { clockTime } from '../../platform/text/clock-text.ts'
import { voiceOf } from '../../platform/text/initials.ts'
import { type Html, html, when } from '../web/html.ts'
import { icon } from '../web/icons.ts'
import { face } from './faces.ts'
import { percent } from './numbers.ts'
import type { Visit } from './visit.ts'

/** The ways to the chapters of a transcript, which `[` and `]` go too. */
export function chapterMenu(chapters: readonly Chapter[]): Html | '' {
  const links = chapters.map(
    ({ heading, start }) =>
      html`<a href="#t=${Math.floor(start)}"><bdi>${heading}</bdi><span class="num">${clockTime(start)}</span></a>`
  )
  return when(
    chapters.length > 1,
    () =>
      html`<details class="menu chapters"><summary class="button second">${icon('sessions')}Chapters${icon('down')}</summary><div class="pop">${links}</div></details>`
  )
}

/** Those who speak the most, each with their part of the talk. One who is a person of the library leads to the other sessions with them. */
export function voicesSection(
  { link }: Pick<Visit, 'link'>,
  voices: readonly Voice[],
  people: readonly Person[]
): Html | '' {
  const rows = voices.map(({ name, part }) => {
    const person = people.find(one => one.name === name)
    const shown = html`<bdi>${name}</bdi>`
    return html`<li>${face(name)}${person ? html`<a href="${link(`/?person=${person.id}`)}">${shown}</a>` : html`<span>${shown}</span>`}
<svg class="v${voiceOf(name)}" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect width="${Math.round(part * 100)}" height="6"/></svg><span class="quiet">${percent(part)}</span></li>`
  })
  return when(
    voices.length > 0,
    () => html`<section><h2 id="voices">People</h2><ul class="voices">${rows}</ul></section>`
  )
}
