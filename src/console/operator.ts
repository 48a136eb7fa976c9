import { type Html, html, when } from './html.ts'
import { pathId, pathParams } from './path-params.ts'
import type { View, Visit } from './visit.ts'

export const USERS_PATH = '/operator/users'

/** The path of one user's page. */
export const UserParams = pathParams({ id: pathId('usr') })

export const FAILED_PATH = '/operator/failed'

const OPERATOR_TABS = [
  { tab: 'users', name: 'Users', path: USERS_PATH },
  { tab: 'failed', name: 'Failed sessions', path: FAILED_PATH }
] as const

interface OperatorPage {
  title: string
  main: Html
  status?: number
}

/** A page for operators, with the navigation between them. */
export function operatorView(
  { link }: Pick<Visit, 'link'>,
  tab: (typeof OPERATOR_TABS)[number]['tab'],
  { title, main, status = 200 }: OperatorPage
): View {
  const tabs = OPERATOR_TABS.map(
    one => html`<a href="${link(one.path)}"${when(one.tab === tab, () => html` aria-current="page"`)}>${one.name}</a>`
  )
  return {
    title,
    status,
    part: 'operator',
    main: html`<nav class="tabs" aria-label="Operator">${tabs}</nav>
<h1 dir="auto">${title}</h1>
${main}`
  }
}

/** A line above a page that says what a form did. */
export interface OperatorNotice {
  words: string
  isBad?: boolean
  status?: number
}

export function noticeAbove(notice: OperatorNotice | undefined): Html | '' {
  return when(
    notice,
    () => html`<p class="${notice?.isBad ? 'notice bad' : 'notice'}" role="status">${notice?.words}</p>`
  )
}
