import { type Html, html, when } from '../web/html.ts'
import { icon } from '../web/icons.ts'
import { addressOf } from './query-form.ts'
import type { Visit } from './visit.ts'

/** Links from the tags and folders of a session to the lists of those that have them: all, or the first, and how many more there are. */
export function labelsOf(
  link: Visit['link'],
  tags: readonly string[],
  folders: readonly { id: string; name: string }[],
  most = tags.length + folders.length
): Html {
  const all = [
    ...folders.map(
      ({ id, name }) =>
        html`<a class="label" href="${link(addressOf('/', { folder: id }))}">${icon('folder')}<span dir="auto">${name}</span></a>`
    ),
    ...tags.map(
      tag =>
        html`<a class="label tag" href="${link(addressOf('/', { tag: tag.replaceAll(',', '\\,') }))}"><span dir="auto">${tag}</span></a>`
    )
  ]
  return html`<span class="labels">${all.slice(0, most)}${when(all.length > most, () => html`<span class="label">+${all.length - most}</span>`)}</span>`
}
