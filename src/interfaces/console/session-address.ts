import { pathId, pathParams } from './path-params.ts'

/** The path of a session's page. */
export const SessionParams = pathParams({ id: pathId('ses') })

/** The page of a session at a second, or at its beginning without one. */
export function momentAt(id: string, start: number | null | undefined) {
  return start === null || start === undefined ? `/s/${id}` : `/s/${id}#t=${Math.floor(start)}`
}

/** The panels of a session's page, which a link opens by `?open=`. */
export const PANELS = ['about', 'speakers', 'sharing', 'summary'] as const
export type Panel = (typeof PANELS)[number]

/** Leads back to a panel of the page. */
export function toPanel(id: string, panel: Panel) {
  return { to: `/s/${id}?open=${panel}#${panel}` }
}
