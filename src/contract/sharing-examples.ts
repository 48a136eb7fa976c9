import type { SessionSharingResponse, SharedActionItem, SharedSessionDetail, SharedSessionListItem } from './sharing.ts'

/** Example responses of sharing, about the session of `examples.ts`. */

const id = 'ses_01m7x9fbe4fey9tg3s33gak8w3'

const sharedRow: SharedSessionListItem = {
  id,
  owner: { id: 'usr_01m7x0b5t2e9s8d4qj3mzk6cvw', name: 'Ada Lovelace' },
  title: 'Weekly review',
  shared_at: '2026-03-02T12:00:00.000Z',
  scope: { summary: true, transcript: true, audio: true, action_items: true },
  session_url: `https://parlance.example/shared/usr_01m7x0b5t2e9s8d4qj3mzk6cvw/${id}`
}

const sharedItem: SharedActionItem = {
  id: 'ai_01m7x9fbe4f0kr8y2sdc4n6vqe',
  text: 'Send the offer to the client',
  completed: false,
  assignee: 'Ada',
  due_date: '2026-03-06',
  source_start: 612.4
}

const sharedDetail: SharedSessionDetail = {
  ...sharedRow,
  timestamp: '2026-03-02T10:00:00.000Z',
  duration_seconds: 1800,
  type: 'meeting',
  platform: 'zoom',
  status: 'completed',
  in_process: false,
  summary: '## Decisions\n\n- The offer goes out this week, with the longer warranty.',
  action_items: [sharedItem]
}

const sharing: SessionSharingResponse = {
  people: [
    {
      id: 'usr_01m7x6y3d8f1cbn0v5k9w2tqhz',
      name: 'Ben',
      email: 'ben@example.com',
      shared_at: '2026-03-02T12:00:00.000Z',
      sources: ['link']
    }
  ],
  pending_invites: [
    {
      email: 'cleo@example.com',
      sent_at: '2026-03-02T12:10:00.000Z',
      last_sent_at: '2026-03-02T12:10:00.000Z',
      send_count: 1,
      invite_id: 'inv_01m7x7a9q4e2rds6w8k1h0cvzy'
    }
  ],
  link: { url: null }
}

const shareLink = {
  url: 'https://parlance.example/join/k3Xv9c0Qd1mJ8sYpR5tLw2aZ7bN4eH6uGfKiOoVxTyE',
  expires_at: '2026-04-01T12:00:00.000Z'
}

export const SHARING_EXAMPLES = {
  sharedList: { sessions: [sharedRow], next_cursor: null, has_more: false },
  sharedDetail,
  sharedActionItems: { session_id: id, action_items: [sharedItem], version: 0 as const, updated_at: null },
  sharedMedia: { kind: 'audio' as const, url: 'https://media.example/weekly.mp3', expires_at: null, external: true },
  sharing,
  shareLink,
  shareLinkReset: { ...shareLink, removed: 0 },
  shareInvites: {
    sent: ['cleo@example.com'],
    skipped: [{ email: 'ben@example.com', reason: 'already_shared' }],
    expires_at: '2026-04-01T12:00:00.000Z'
  },
  shareInviteCancelled: { cancelled: true },
  shareRecipientRemoved: { removed: true as const, id: 'usr_01m7x6y3d8f1cbn0v5k9w2tqhz' }
}
