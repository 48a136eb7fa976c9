import type { SessionDetail } from '../../contract/session.ts'

/** The session of the test event. No session has its id. */
export function sampleSession(now: Date): SessionDetail {
  const at = now.toISOString()
  const time = now.getTime()
  return {
    id: 'ses_00000000000000000000000000',
    title: 'A sample session',
    timestamp: at,
    duration_seconds: 1800,
    type: 'meeting',
    platform: null,
    created_at: at,
    updated_at: at,
    language: 'en',
    summary: '## Key points\n\n- This event is a test; the session in it does not exist.',
    notes: null,
    audio_deleted_at: null,
    tags: ['sample'],
    favorite: false,
    folder_ids: [],
    action_items: [
      {
        id: 'ai_00000000000000000000000000',
        text: 'Check the signature of this delivery',
        completed: false,
        source: 'agent',
        assignee: null,
        due_date: null,
        source_start: null,
        user_edited_at: null,
        created_at: time,
        updated_at: time
      }
    ],
    action_items_version: 1
  }
}
