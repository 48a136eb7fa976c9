import { type Html, html, when } from '../web/html.ts'

/** A list of cards, or a sentence if there are none. The heading is for screen readers, where the page has none above the list. */
export function cardList<T>(all: readonly T[], card: (one: T) => Html, empty: Html | string, heading?: string): Html {
  if (all.length === 0) return html`<p class="empty">${empty}</p>`
  return html`${when(heading, () => html`<h2 class="hidden">${heading}</h2>`)}<ul class="cards">${all.map(card)}</ul>`
}

/** The link to the next page of a list, unless this is the last one. */
export function moreLink(next: string | null | undefined, to: (cursor: string) => string, words = 'More'): Html | '' {
  return when(next, () => html`<p class="more"><a href="${to(next ?? '')}">${words}</a></p>`)
}
