/** Example requests for the OpenAPI document. They match the responses of `examples.ts`. */
export const REQUESTS = {
  session: {
    external_id: 'zoom-123',
    title: 'Weekly review',
    timestamp: '2026-03-02T10:00:00Z',
    type: 'meeting',
    platform: 'zoom',
    language: 'en',
    folders: ['Clients'],
    speakers: [{ label: 'Speaker 1', person: 'Ada Lovelace', is_me: true, matched_by: 'voice' }],
    segments: [{ speaker: 'Speaker 1', start: 612.4, end: 615.1, text: "I'll send the offer by Friday." }]
  },
  sessionChange: { title: 'Weekly review with the client' },
  actionItemChange: { completed: true },
  bulk: {
    session_ids: ['ses_01m7x9fbe4fey9tg3s33gak8w3', 'ses_01m7x0000000000000000000zz'],
    include_summary: true,
    include_transcript: true
  },
  search: { query: 'why the launch slipped', limit: 5 },
  acknowledge: { cursor: 1 },
  webhook: {
    url: 'https://example.com/hooks/parlance',
    events: ['session.completed', 'session.deleted'],
    headers: { Authorization: 'Bearer receiver-key' }
  },
  webhookChange: { active: true },
  replay: { since: '2026-03-01T00:00:00Z' },
  person: { name: 'Ada Lovelace' },
  personChange: { name: 'Ada King' },
  merge: { into: 'me' },
  speaker: { from: 'Speaker 2', name: 'Ben', segments: [1] },
  transcriptChange: { segments: [{ index: 1, text: 'Good. With the longer guarantee, please.' }] },
  folder: { name: 'Clients', color: '#3366ff' },
  folderChange: { pinned: true },
  shareLink: {},
  shareLinkReset: { remove_everyone: false },
  invites: { emails: ['cleo@example.com'], message: 'Here is what we spoke about.' },
  inviteCancel: { email: 'cleo@example.com' }
}
