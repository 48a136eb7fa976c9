import { PUBLIC_ABOUT_ROUTES } from './about.ts'
import { ACCOUNT_ROUTES } from './account.ts'
import { ACTION_ITEM_ROUTES } from './action-items.ts'
import { EVENT_ROUTES } from './events.ts'
import { EXPORT_ROUTES } from './exports.ts'
import { FOLDER_ROUTES } from './folders.ts'
import { INGEST_ROUTES } from './ingest.ts'
import { PEOPLE_ROUTES } from './people.ts'
import { RECORDING_ROUTES } from './recordings.ts'
import type { RouteDescription } from './route.ts'
import { SEARCH_ROUTES } from './search.ts'
import { SESSION_ROUTES } from './sessions.ts'
import { SHARED_SESSION_ROUTES } from './shared-sessions.ts'
import { SHARING_ROUTES } from './sharing.ts'
import { SUMMARY_ROUTES } from './summaries.ts'
import { SUMMARIZE_ROUTES } from './summarize.ts'
import { SUMMARY_TEMPLATE_ROUTES } from './summary-templates.ts'
import { TERM_ROUTES } from './terms.ts'
import { TRANSCRIPT_ROUTES } from './transcripts.ts'
import { UPLOAD_ROUTES } from './uploads.ts'
import { WEBHOOK_ROUTES } from './webhooks.ts'

/** The routes of `/v1`, by operation. */
export const ROUTES = {
  ...SESSION_ROUTES,
  ...INGEST_ROUTES,
  ...SUMMARIZE_ROUTES,
  ...SUMMARY_TEMPLATE_ROUTES,
  ...UPLOAD_ROUTES,
  ...SUMMARY_ROUTES,
  ...TRANSCRIPT_ROUTES,
  ...TERM_ROUTES,
  ...RECORDING_ROUTES,
  ...ACTION_ITEM_ROUTES,
  ...SEARCH_ROUTES,
  ...EVENT_ROUTES,
  ...WEBHOOK_ROUTES,
  ...FOLDER_ROUTES,
  ...PEOPLE_ROUTES,
  ...SHARED_SESSION_ROUTES,
  ...SHARING_ROUTES,
  ...EXPORT_ROUTES,
  ...ACCOUNT_ROUTES,
  ...PUBLIC_ABOUT_ROUTES
} satisfies Record<string, RouteDescription>
