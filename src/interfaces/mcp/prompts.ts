import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { characters } from '../../contract/common.ts'
import { FIELD_LIMITS } from '../../contract/limits.ts'
import { OPERATIONS, type TokenOperation } from '../../contract/operations.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import { quote } from './answer-text.ts'

interface Prompt {
  title: string
  description: string
  /** The operation that it begins with. Any one of its scopes lists the prompt. */
  operation: TokenOperation
  /** The one thing that the user fills in. */
  argument?: { name: string; description: string }
  text(given: string): string
}

const PROMPTS: Record<string, Prompt> = {
  prepare_meeting: {
    title: 'Prepare for a meeting',
    description: 'What was last said with a person, and what is open between you',
    operation: 'listSessions',
    argument: { name: 'person', description: 'The name of the person you will meet' },
    text: person => `I will meet ${person}. Find this person with list_people, then our last conversations with list_sessions, and read
their summaries with get_session. List the open action items of both of us with list_action_items. Tell me in half a page: what we
talked about, what was decided, what each of us owes the other, and what I should ask. Cite each point with its link.`
  },
  find_decision: {
    title: 'Find a decision',
    description: 'What was decided about a topic, when, by whom and why',
    operation: 'searchSessions',
    argument: { name: 'topic', description: 'The topic of the decision' },
    text: topic => `What did we decide about ${topic}? Search with search_sessions in several wordings, and read around the best passages with
get_transcript. If a later conversation changed the decision, say so. Tell me the decision, when and by whom it was made, the reasons, and
what is still open. Cite each point with its link, and say so if you find no decision.`
  },
  review_week: {
    title: 'Review my open items',
    description: 'Your open action items of the week, and what to do first',
    operation: 'listActionItems',
    text: () => `List my open action items with list_action_items and person "me". If nobody is marked as me, list those of everyone. Begin with
what is overdue, then what is due this week, then what came up in conversations of the last seven days. For each, name the conversation
and cite its link. End with the three that I should do first, and why.`
  }
}

const MAX_ARGUMENT = FIELD_LIMITS.idOrName

/** Adds the prompts whose tools the token may use. */
export function addPrompts(server: McpServer, { scopes }: Pick<Actor, 'scopes'>) {
  for (const [name, { title, description, operation, argument, text }] of Object.entries(PROMPTS)) {
    if (!OPERATIONS[operation].some(scope => scopes.has(scope))) continue
    const answer = (given: string) => ({
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: text(given) } }]
    })
    if (!argument) server.registerPrompt(name, { title, description }, () => answer(''))
    else {
      const argsSchema = z.object({
        [argument.name]: characters(1, MAX_ARGUMENT).meta({ description: argument.description })
      })
      server.registerPrompt(name, { title, description, argsSchema }, given =>
        answer(quote(String(given[argument.name])))
      )
    }
  }
}
