import type { SummaryTemplate } from './summary-template.ts'

const template: SummaryTemplate = {
  id: 'tpl_01m7xb2n8w4fte61c9d0hq5vzs',
  name: 'Design review',
  built_in: false,
  language: 'transcript',
  sections: [
    { heading: 'Overview', content: 'Two sentences.', part: 'overview' },
    {
      heading: 'Alternatives',
      content: 'Each design that was discussed, with what speaks for and against it.',
      part: null
    },
    { heading: 'Decisions', content: '', part: 'decisions' }
  ],
  default_for: { types: [], tags: ['design'], folders: [] },
  created_at: '2026-03-02T10:55:00.000Z',
  updated_at: '2026-03-02T10:55:00.000Z'
}

export const TEMPLATE_EXAMPLES = {
  template,
  list: { templates: [template], next_cursor: null, has_more: false },
  request: {
    name: template.name,
    sections: [
      { heading: 'Overview', content: 'Two sentences.' },
      { heading: 'Alternatives', content: 'Each design that was discussed, with what speaks for and against it.' },
      { heading: 'Decisions' }
    ],
    default_for: { tags: ['design'] }
  }
}
