import { html } from 'hono/html'

/**
 * The templates of pages: `hono/html`, a tagged template without a build and without imports of its own. It escapes `&<>"'` in every value, so
 * text and quoted attributes are safe, and knows what another template made, so nothing has to be marked as safe where it is put in; `ghtml` takes
 * such a mark, and forgets that a value with it may be a user's. Values between quotes only: `test/rules/templates.test.ts` checks it. A URL is
 * always one that the server builds, because no escaping makes `javascript:` harmless.
 */
export { html }

/** Markup, or what becomes markup. A text is escaped where it is put in. */
export type Html = ReturnType<typeof html>

/** The part of a template that is there or not. */
export function when(condition: unknown, markup: () => Html): Html | '' {
  return condition ? markup() : ''
}
