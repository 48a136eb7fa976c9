import { type Html, html, when } from '../web/html.ts'
import { type Choice, selectField } from './fields.ts'
import type { Redirect } from './visit.ts'

/** Leads to the address without the fields that a form left empty, so that it is short enough to pass on. Undefined if there are none. */
export function withoutEmpty(path: string, address: string): Redirect | undefined {
  const sent = queryOf(address)
  const kept = [...sent].filter(([, value]) => value !== '')
  if (kept.length === [...sent].length) return undefined
  return { to: addressOf(path, kept) }
}

/** A query without the fields that a form left empty, because an empty filter filters nothing. */
export function filledIn(query: unknown) {
  return Object.fromEntries(Object.entries(Object(query)).filter(([, value]) => value !== ''))
}

/** The query of an address as it was sent. */
export function queryOf(address: string) {
  return new URLSearchParams(address.split('?', 2)[1] ?? '')
}

export function addressOf(path: string, query: Record<string, string> | readonly [string, string][]) {
  const text = String(new URLSearchParams(query))
  return text === '' ? path : `${path}?${text}`
}

/** A filter: `any` are the words for none. */
export function select(name: string, label: string, any: string, choices: readonly Choice[], chosen: string): Html {
  return selectField(name, label, [{ value: '', words: any }, ...choices], chosen)
}

export function field(name: string, label: string, value: string, { type = 'text', hint = '' } = {}): Html {
  return html`<label>${label}<input type="${type}" name="${name}" value="${value}"${when(hint, () => html` placeholder="${hint}"`)}></label>`
}
