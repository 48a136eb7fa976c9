import type { Term, TermApplication } from './term.ts'

const created_at = '2026-03-02T10:40:00.000Z'

const term: Term = {
  id: 'trm_01m7x9k2d4e8vb0h5s6r1wq3ya',
  heard: ['par lance', 'parlants'],
  meant: 'Parlance',
  created_at,
  updated_at: created_at
}

const application: TermApplication = {
  id: 'apl_01m7x9p7b1f3sd9k0c2vn5ma8e',
  term_id: term.id,
  status: 'completed',
  dry_run: true,
  heard: term.heard,
  meant: term.meant,
  sessions_total: 120,
  sessions_done: 120,
  sessions_changed: 1,
  lines_changed: 1,
  sessions_left_out: 0,
  examples: [
    {
      session_id: 'ses_01m7x9fbe4fey9tg3s33gak8w3',
      index: 4,
      text: 'So we moved everything to par lance.',
      corrected: 'So we moved everything to Parlance.'
    }
  ],
  error: null,
  started_at: '2026-03-02T10:41:00.000Z',
  finished_at: '2026-03-02T10:41:03.000Z'
}

export const TERM_EXAMPLES = {
  term,
  list: { terms: [term] },
  imported: { added: 1, changed: 0, terms: [term] },
  application,
  accepted: {
    ...application,
    status: 'running' as const,
    sessions_done: 0,
    sessions_changed: 0,
    lines_changed: 0,
    examples: [],
    finished_at: null
  },
  csv: ['heard,meant', 'par lance,Parlance', 'parlants,Parlance', ''].join('\r\n')
}
