/** Bodies as clients could send them, for the OpenAPI document and its reference page. They tell of what the answers of `examples.ts` tell of. */
export const REQUESTS = {
  sessionChange: {
    title: 'Weekly review',
    tags: ['sales', 'weekly'],
    action_items: [
      { id: 'ai_01m7x9fbe4f0kr8y2sdc4n6vqe', text: 'Send the offer to the client', completed: true },
      { text: 'Ask about the warehouse', assignee: 'Ben', due_date: '2026-03-09' }
    ]
  },
  bulk: {
    session_ids: ['ses_01m7x9fbe4fey9tg3s33gak8w3', 'ses_01m7x0000000000000000000zz'],
    include_summary: true,
    include_transcript: true
  },
  search: { query: 'why the launch slipped', limit: 5, tags: ['weekly', 'sales'], tag_mode: 'any' },
  acknowledge: { cursor: 41 },
  webhook: { url: 'https://example.com/hooks/parlance', events: ['session.completed', 'session.deleted'] },
  webhookChange: { active: true },
  replay: { since: '2026-03-01T00:00:00Z' },
  folder: { name: 'Clients', color: '#3366ff' },
  folderChange: { name: 'Clients', pinned: true, order: 1 },
  shareLink: {},
  shareLinkReset: { remove_everyone: true },
  invites: { emails: ['cleo@example.com'], message: 'Here is what we spoke about.' },
  inviteCancel: { email: 'cleo@example.com' }
}
