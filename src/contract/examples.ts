import { ACCOUNT_EXAMPLE } from './account-example.ts'
import type { ActionItem } from './action-item.ts'
import type { ListedActionItem } from './action-item-list.ts'
import type { Folder } from './folder.ts'
import type { SessionDetail, SessionList, SessionListItem } from './session.ts'
import { SHARING_EXAMPLES } from './sharing-examples.ts'
import { SUMMARY_EXAMPLE } from './summary-example.ts'
import { TRANSCRIPT_EXAMPLES } from './transcript-example.ts'
import { transcriptFile } from './transcript-file-example.ts'
import type { Webhook } from './webhook.ts'

/** Example responses for the OpenAPI document. */

const id = 'ses_01m7x9fbe4fey9tg3s33gak8w3'

const listed: SessionListItem = {
  id,
  title: 'Weekly review',
  timestamp: '2026-03-02T10:00:00.000Z',
  duration_seconds: 1800,
  type: 'meeting',
  platform: 'zoom',
  audio_deleted_at: null
}

const { audio_deleted_at: _, ...listedOnly } = listed

const call: SessionListItem = {
  id: 'ses_01m7x8d1r9e3t8m6w5yq0k2hzc',
  title: 'Call about the spring order',
  timestamp: '2026-03-01T15:20:00.000Z',
  duration_seconds: 412.5,
  type: 'phone',
  platform: 'twilio',
  audio_deleted_at: null,
  phone: {
    direction: 'inbound',
    to_number: '+12025550123',
    from_number: null,
    status: 'completed',
    ongoing: false,
    provider: 'twilio',
    contact_name: null
  }
}

const item: ActionItem = {
  id: 'ai_01m7x9fbe4f0kr8y2sdc4n6vqe',
  text: 'Send the offer to the client',
  completed: false,
  source: 'agent',
  assignee: 'Ada',
  due_date: '2026-03-06',
  source_start: 612.4,
  user_edited_at: null,
  created_at: 1772447400000,
  updated_at: 1772447400000
}

const listedItem: ListedActionItem = {
  ...item,
  session: { id, title: listed.title, timestamp: listed.timestamp },
  version: 1
}

const sessionList: SessionList = { sessions: [listed, call], next_cursor: '2026-03-01T15:20:00.000Z', has_more: true }

const sessionDetail: SessionDetail = {
  ...listed,
  created_at: '2026-03-02T10:31:07.120Z',
  updated_at: '2026-03-02T10:31:42.517Z',
  language: 'en',
  summary: '## Decisions\n\n- The offer goes out this week, with the longer warranty.',
  notes: 'Ask about the warehouse next time.',
  tags: ['sales', 'weekly'],
  favorite: false,
  folder_ids: ['fld_01m7x2c9w1f6nbsk0h7v3q8zde'],
  action_items: [item],
  action_items_version: 1,
  status: 'completed',
  failure_reason: null
}

const { own: transcript } = TRANSCRIPT_EXAMPLES

const folder: Folder = {
  id: 'fld_01m7x2c9w1f6nbsk0h7v3q8zde',
  name: 'Clients',
  color: '#3366ff',
  session_count: 12,
  created_at: '2026-02-27T08:15:00.000Z',
  updated_at: '2026-03-02T10:31:00.000Z',
  pinned: true,
  sort_order: 'newest',
  order: 1
}

const unused: Folder = { id: 'fld_01m7x3r6kqe5vt2m9d4hc8wz1b', name: 'Ideas', color: null, session_count: 0 }

const person = {
  id: 'per_01m7x5r8n3k2vfd9w0c6ty4hbs',
  name: 'Ada Lovelace',
  is_me: true,
  recording_count: 12,
  last_heard_at: '2026-03-02T10:00:00.000Z'
}

const webhook: Webhook = {
  id: 'whk_01m7x4k2p9d8ct5n1w6r0zbfyq',
  url: 'https://example.com/hooks/parlance',
  events: ['session.completed', 'session.deleted'],
  payload: 'full',
  header_names: ['Authorization'],
  active: true,
  failure_count: 0,
  last_delivery_at: '2026-03-02T10:31:07.431Z',
  last_delivery_status: 204,
  created_at: '2026-02-27T08:12:45.018Z',
  updated_at: '2026-02-27T08:12:45.018Z'
}

const delivery = {
  id: 'evt_01m7x9h2v8e7ksp4d0f6t3yxqa',
  seq: 1,
  event: 'session.completed' as const,
  status: 'pending' as const,
  next_attempt_at: '2026-03-02T10:31:12.655Z',
  attempts: [
    {
      attempted_at: '2026-03-02T10:31:07.431Z',
      status: 503,
      error: 'http_error',
      reason: 'The receiver did not answer with a 2xx: it answered with 503',
      duration_ms: 41
    }
  ]
}

const webhookPayload = {
  id: 'evt_01m7x9h2v8e7ksp4d0f6t3yxqa',
  event: 'session.completed',
  created_at: '2026-03-02T10:31:07.412Z',
  data: { session: sessionDetail }
}

export const EXAMPLES = {
  sessionList,
  sessionDetail,
  sessionAccepted: { id, status: 'processing', external_id: 'zoom-123' },
  sessionRestored: { id, status: 'completed', external_id: 'zoom-123' },
  actionItems: { session_id: id, action_items: [item], version: 1, updated_at: '2026-03-02T10:30:00.000Z' },
  actionItemList: {
    action_items: [listedItem],
    next_cursor: '2026-03-06_ai_01m7x9fbe4f0kr8y2sdc4n6vqe',
    has_more: true
  },
  actionItemChanged: { ...listedItem, completed: true, updated_at: 1772449200000, version: 2 },
  transcript,
  transcriptChanged: TRANSCRIPT_EXAMPLES.changed,
  summary: SUMMARY_EXAMPLE,
  transcriptFile,
  media: {
    id,
    audio_url:
      'https://parlance.example.com/v1/media/usr_01m7x0b5t2e9s8d4qj3mzk6cvw/ses_01m7x9fbe4fey9tg3s33gak8w3/audio?expires=1772449200&signature=iF0cZpl5dW9rVnV4eWtQd3J0c2pqb2x2bmRzYWZqa2w',
    video_url: null,
    expires_at: '2026-03-02T11:00:00.000Z',
    audio_deleted_at: null
  },
  sessionChanged: { id, updated_fields: ['title'], updated_at: '2026-03-02T11:00:00.000Z' },
  sessionDeleted: { deleted: true, id },
  search: {
    query: 'why the launch slipped',
    results: [
      {
        id,
        title: 'Weekly review',
        timestamp: '2026-03-02T10:00:00.000Z',
        type: 'meeting',
        similarity: 0.6312,
        snippet: 'Ben: The print run came back with the wrong colours, so we have to move the launch by two weeks.'
      }
    ],
    total: 1
  },
  stats: {
    total_sessions: 3,
    total_duration_seconds: 5400,
    average_duration_seconds: 1800,
    sessions_by_type: { meeting: 2, phone: 1 },
    sessions_by_platform: { zoom: 2, twilio: 1 },
    period: { since: '2026-02-01T00:00:00.000Z', until: '2026-03-03T00:00:00.000Z' }
  },
  bulk: {
    sessions: [{ ...listedOnly, language: 'en', summary: sessionDetail.summary, transcript: transcript.transcript }],
    errors: [{ id: 'ses_01m7x0000000000000000000zz', error: 'not_found' }]
  },
  webhookPayload,
  events: { events: [{ ...webhookPayload, seq: 1 }], next_cursor: 1, has_more: false },
  acknowledged: { acknowledged_cursor: 1 },
  webhook,
  webhookList: { webhooks: [webhook] },
  webhookMade: {
    ...webhook,
    last_delivery_at: null,
    last_delivery_status: null,
    secret: 'whsec_U2FtcGxlIHNlY3JldCBvZiB0aGUgZG9jdW1lbnRhdGlvbiE='
  },
  webhookDeleted: { deleted: true, id: webhook.id },
  webhookTested: {
    success: false,
    event: 'webhook.test',
    webhook_id: webhook.id,
    delivered_at: '2026-03-02T10:31:07.431Z',
    status: null,
    error: 'refused',
    reason: 'The receiver refused the connection, or cannot be reached',
    duration_ms: 3
  },
  deliveries: { deliveries: [delivery], next_cursor: null, has_more: false },
  delivery,
  replayed: { webhook_id: webhook.id, queued: 12, next_seq: null },
  folder,
  folderList: { folders: [folder, unused] },
  person,
  personList: { people: [person] },
  personSessions: {
    person,
    sessions: [
      {
        ...listed,
        talk_seconds: 512.4,
        name_in_session: 'Ada',
        matched_by: 'voice' as const,
        top_lines: ['Before we close, let us go through the open offers once more.']
      }
    ],
    next_cursor: null,
    has_more: false
  },
  folderMembership: { session_id: id, folder_id: folder.id, folder_ids: [folder.id] },
  ...SHARING_EXAMPLES,
  sharedTranscript: TRANSCRIPT_EXAMPLES.shared,
  account: ACCOUNT_EXAMPLE
}
