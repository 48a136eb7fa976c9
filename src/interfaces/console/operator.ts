import { pathId, pathParams } from './path-params.ts'
import { type TabPage, tabbedView } from './tabs.ts'
import type { Visit } from './visit.ts'

export const USERS_PATH = '/operator/users'

/** The path of one user's page. */
export const UserParams = pathParams({ id: pathId('usr') })

export const FAILED_PATH = '/operator/failed'

export const HEALTH_PATH = '/operator/health'

const OPERATOR = {
  part: 'operator',
  name: 'Operator',
  tabs: [
    { name: 'Users', path: USERS_PATH },
    { name: 'Failed sessions', path: FAILED_PATH },
    { name: 'Health', path: HEALTH_PATH }
  ]
} as const

type OperatorPath = (typeof OPERATOR)['tabs'][number]['path']

/** A page for operators. */
export function operatorView(visit: Pick<Visit, 'link'>, path: OperatorPath, page: TabPage) {
  return tabbedView(visit, OPERATOR, path, page)
}
