import type { SessionLabels } from '../../features/library/labels.ts'
import { type Html, html } from '../web/html.ts'
import { addressOf } from './query-form.ts'
import type { Visit } from './visit.ts'

/** Links from the tags and folders of a session to the lists of those that have them. */
export function labelLinks(link: Visit['link'], tags: SessionLabels['tags'], folders: SessionLabels['folders']): Html {
  const toTag = (tag: string) => link(addressOf('/', { tag: tag.replaceAll(',', '\\,') }))
  return html`<p class="labels">${folders.map(
    ({ id, name }) => html`<a class="folder" dir="auto" href="${link(addressOf('/', { folder: id }))}">${name}</a> `
  )}${tags.map(tag => html`<a dir="auto" href="${toTag(tag)}">${tag}</a> `)}</p>`
}
