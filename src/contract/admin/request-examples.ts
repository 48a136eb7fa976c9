import { REQUESTS } from '../request-examples.ts'

/** Example requests for the OpenAPI document of the admin API. */
export const ADMIN_REQUESTS = {
  user: { email: 'ada@example.com', name: 'Ada Lovelace', time_zone: 'Europe/Berlin', email_verified: true },
  userChange: { time_zone: 'Europe/Lisbon', quotas: { bytes_stored: 214_748_364_800, folders: null } },
  token: { name: 'my script', scopes: ['sessions:read', 'events:read'], expires_in: 2_592_000 },
  session: REQUESTS.session,
  sessionChange: { ...REQUESTS.sessionChange, summary: '## Decisions\n\n- The offer goes out this week.' },
  call: {
    external_id: 'CA0123456789',
    direction: 'inbound',
    status: 'ringing',
    from_number: '+12025550199',
    to_number: '+12025550123'
  },
  callChange: {
    status: 'completed',
    duration_seconds: 412.5,
    segments: [{ speaker: 'Speaker 1', start: 1.2, end: 4.8, text: 'I am calling about the spring order.' }]
  },
  claim: { url: 'http://127.0.0.1:8080/join/k3Xv9c0Qd1mJ8sYpR5tLw2aZ7bN4eH6uGfKiOoVxTyE' },
  shareScope: { transcript: false, audio: false }
}
