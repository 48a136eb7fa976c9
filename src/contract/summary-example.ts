import type { SessionSummary } from './session-summary.ts'

export const SUMMARY_EXAMPLE: SessionSummary = {
  id: 'ses_01m7x9fbe4fey9tg3s33gak8w3',
  language: 'en',
  template: null,
  title_made: false,
  has_sources: true,
  transcript_version: 1,
  overview: {
    text: 'Ada and Ben talked about the offer. They decided to add a longer warranty.',
    speaker: null,
    sources: [{ segment: 2, start: 9.1, end: 12.8 }]
  },
  sections: [
    {
      heading: null,
      start: 540.2,
      points: [
        {
          text: 'The client wants a longer warranty.',
          speaker: 'Ben',
          sources: [{ segment: 41, start: 540.2, end: 543.9 }]
        }
      ]
    }
  ],
  decisions: [
    {
      text: 'The offer goes out this week, with the longer warranty.',
      speaker: 'Ada',
      sources: [{ segment: 47, start: 601.5, end: 606.3 }]
    }
  ],
  questions: [],
  action_items: [
    {
      id: 'ai_01m7x9fbe4f0kr8y2sdc4n6vqe',
      text: 'Send the offer to the client',
      completed: false,
      assignee: 'Ada',
      due_date: '2026-03-06',
      sources: [{ segment: 48, start: 612.4, end: 615.1 }]
    }
  ]
}
