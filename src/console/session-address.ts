import { z } from 'zod'
import { throwNotFound } from '../core/api-error.ts'

const sessionId = z.string().regex(/^ses_[0-9a-z]{26}$/)

/** The path of a session's page. Anything but an id as this server makes them is an unknown page. */
export const SessionParams = z.object({ id: sessionId }).catch(() => throwNotFound('Page'))

/** The panels of a session's page, which a link opens by `?open=`. */
export const PANELS = ['about', 'speakers', 'sharing'] as const
export type Panel = (typeof PANELS)[number]

/** Leads back to a panel of the page. */
export function toPanel(id: string, panel: Panel) {
  return { to: `/s/${id}?open=${panel}#${panel}` }
}
