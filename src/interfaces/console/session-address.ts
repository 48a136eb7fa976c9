import { z } from 'zod'
import { pathId, pathParams } from './path-params.ts'

/** The path of a session's page. */
export const SessionParams = pathParams({ id: pathId('ses') })

/** The state of a session that a form was made from, which guards against overwriting another change. */
export const SessionTag = z.string().regex(/^s[\w-]{27}$/, 'the form as the page has it')

/** The panels of a session's page, which a link opens by `?open=`. */
export const PANELS = ['about', 'speakers', 'sharing', 'summary'] as const
export type Panel = (typeof PANELS)[number]

/** Leads back to a panel of the page. */
export function toPanel(id: string, panel: Panel) {
  return { to: `/s/${id}?open=${panel}#${panel}` }
}
