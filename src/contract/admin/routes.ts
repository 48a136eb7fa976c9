import { ABOUT_ROUTES } from '../routes/about.ts'
import { ACTION_ITEM_ROUTES } from '../routes/action-items.ts'
import { FOLDER_ROUTES } from '../routes/folders.ts'
import { INGEST_ROUTES } from '../routes/ingest.ts'
import { OPERATOR_PEOPLE_ROUTES, PEOPLE_ROUTES } from '../routes/people.ts'
import { RECORDING_ROUTES } from '../routes/recordings.ts'
import type { RouteDescription } from '../routes/route.ts'
import { SEARCH_ROUTES } from '../routes/search.ts'
import { SHARED_SESSION_ROUTES } from '../routes/shared-sessions.ts'
import { SHARING_ROUTES } from '../routes/sharing.ts'
import { SUMMARY_ROUTES } from '../routes/summaries.ts'
import { SUMMARIZE_ROUTES } from '../routes/summarize.ts'
import { SUMMARY_TEMPLATE_ROUTES } from '../routes/summary-templates.ts'
import { TERM_ROUTES } from '../routes/terms.ts'
import { TRANSCRIPT_ROUTES } from '../routes/transcripts.ts'
import { TOKEN_ROUTES, USER_ROUTES } from './account-routes.ts'
import { CALL_ROUTES } from './call-routes.ts'
import { OPERATOR_FOLDER_ROUTES } from './folder-routes.ts'
import { ADMIN_SESSION_ROUTES, OPERATOR_ROUTES } from './session-routes.ts'
import { OPERATOR_SHARING_ROUTES } from './share-routes.ts'

/** The path of a user, below which the routes of `/v1` act for them. */
export const USER_PATH = '/users/:user_id'

/** The routes of the admin API, by operation. */
export const ADMIN_ROUTES: Record<string, Pick<RouteDescription, 'method' | 'url'>> = {
  ...USER_ROUTES,
  ...TOKEN_ROUTES,
  ...belowUser({
    ...ADMIN_SESSION_ROUTES,
    ...INGEST_ROUTES,
    ...SUMMARY_ROUTES,
    ...SUMMARIZE_ROUTES,
    ...SUMMARY_TEMPLATE_ROUTES,
    ...TRANSCRIPT_ROUTES,
    ...TERM_ROUTES,
    ...RECORDING_ROUTES,
    ...ACTION_ITEM_ROUTES,
    ...SEARCH_ROUTES,
    ...OPERATOR_ROUTES,
    ...CALL_ROUTES,
    ...PEOPLE_ROUTES,
    ...OPERATOR_PEOPLE_ROUTES,
    ...FOLDER_ROUTES,
    ...OPERATOR_FOLDER_ROUTES,
    ...SHARED_SESSION_ROUTES,
    ...SHARING_ROUTES,
    ...OPERATOR_SHARING_ROUTES
  }),
  ...ABOUT_ROUTES
}

function belowUser(routes: Record<string, RouteDescription>) {
  return Object.fromEntries(
    Object.entries(routes).map(([operation, { method, url }]) => [operation, { method, url: `${USER_PATH}${url}` }])
  )
}
