import type { TemplateSection } from '../../platform/text/template.ts'

export interface BuiltIn {
  templateId: string
  name: string
  sections: TemplateSection[]
}

const OVERVIEW = section('Overview', 'overview', 'Two to five sentences: what it was about, and what came of it.')
const NEXT_STEPS = section('Next steps', 'action_items', 'Who does what, and by when.')
const KEY_POINTS = section(
  'Key points',
  'key_points',
  'What was said that matters, each point with the name of who said it.'
)
const OPEN_QUESTIONS = section('Open questions', 'questions', 'Questions that nobody answered.')

/** The templates that every user has. Their ids never change, because defaults and summaries refer to them. */
export const BUILT_IN: readonly BuiltIn[] = [
  {
    templateId: 'tpl_meeting',
    name: 'Meeting',
    sections: [
      OVERVIEW,
      section('Participants', 'participants', 'The names of those who spoke.'),
      KEY_POINTS,
      section('Decisions', 'decisions', 'What was decided, and why if that was said.'),
      OPEN_QUESTIONS,
      NEXT_STEPS
    ]
  },
  {
    templateId: 'tpl_one_to_one',
    name: 'One-to-one',
    sections: [
      OVERVIEW,
      section('Progress', null, 'What went well and what is done since the last time.'),
      section('Challenges', null, 'What is hard, late or in the way, and the help that was asked for.'),
      section('Feedback', null, 'Praise and criticism, each with who gave it to whom.'),
      KEY_POINTS,
      section('Agreements', 'decisions', 'What the two agreed on.'),
      NEXT_STEPS
    ]
  },
  {
    templateId: 'tpl_interview',
    name: 'Interview',
    sections: [
      OVERVIEW,
      section('Background', null, 'What the interviewed person said about themselves: work, education, experience.'),
      section(
        'Questions and answers',
        null,
        'Each question in bold, with the answer in one or two sentences below it.'
      ),
      section('Quotes', null, 'Up to five sentences of the interviewed person that are worth quoting, word for word.'),
      KEY_POINTS,
      OPEN_QUESTIONS,
      NEXT_STEPS
    ]
  },
  {
    templateId: 'tpl_sales_call',
    name: 'Sales call',
    sections: [
      OVERVIEW,
      section('Situation', null, 'What the customer has and does today, with numbers where they were named.'),
      section('Needs', null, 'What the customer wants or misses, each with who said it.'),
      section('Objections', null, 'What speaks against buying for the customer, and what was answered.'),
      section('Budget and timing', null, 'Prices, budgets, dates, and who decides.'),
      KEY_POINTS,
      section('Agreements', 'decisions', 'What both sides agreed on.'),
      NEXT_STEPS
    ]
  },
  {
    templateId: 'tpl_lecture',
    name: 'Lecture',
    sections: [
      OVERVIEW,
      section('Topics', 'topics', 'The topics in their order, a line each.'),
      KEY_POINTS,
      section('Definitions', null, 'Words that were explained, each with its explanation.'),
      section('Examples', null, 'Examples that were given, each with what it shows.'),
      OPEN_QUESTIONS
    ]
  }
]

export function findBuiltIn(templateId: string) {
  return BUILT_IN.find(template => template.templateId === templateId)
}

function section(heading: string, part: TemplateSection['part'], content: string): TemplateSection {
  return { heading, content, part }
}
