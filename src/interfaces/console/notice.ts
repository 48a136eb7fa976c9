import { type Html, html, when } from '../web/html.ts'

/** A line above a page that says what a form did, or why it refused. */
export interface Notice {
  words: string
  isBad?: boolean
  status?: number
}

export function noticeAbove(notice: Notice | undefined): Html | '' {
  return when(
    notice,
    () => html`<p class="${notice?.isBad ? 'notice bad' : 'notice'}" role="status">${notice?.words}</p>`
  )
}
