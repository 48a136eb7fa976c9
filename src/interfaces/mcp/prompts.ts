import { completable, type McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { characters } from '../../contract/common.ts'
import { FIELD_LIMITS } from '../../contract/limits.ts'
import { OPERATIONS, type TokenOperation } from '../../contract/operations.ts'
import { sessionListQuery } from '../../contract/session.ts'
import { oneLine } from '../../contract/text.ts'
import { searchPeople } from '../../features/people/list-people.ts'
import { listSessions } from '../../features/sessions/operations.ts'
import { quote } from './answer-text.ts'
import type { Call } from './tool.ts'

interface Prompt {
  title: string
  description: string
  /** The operation that it begins with. Any one of its scopes lists the prompt. */
  operation: TokenOperation
  /** The one thing that the user fills in. */
  argument?: { name: string; description: string; complete(call: Call, begun: string): Promise<string[]> }
  text(given: string): string
}

const PROMPTS: Record<string, Prompt> = {
  prepare_meeting: {
    title: 'Prepare for a meeting',
    description: 'What was last said with a person, and what is open between you',
    operation: 'listSessions',
    argument: { name: 'person', description: 'The name of the person you will meet', complete: listNames },
    text: person => `I will meet ${person}. Find this person with list_people, then our last conversations with list_sessions, and read
their summaries with get_session. List the open action items of both of us with list_action_items. Tell me in half a page: what we
talked about, what was decided, what each of us owes the other, and what I should ask. Cite each point with its link.`
  },
  find_decision: {
    title: 'Find a decision',
    description: 'What was decided about a topic, when, by whom and why',
    operation: 'searchSessions',
    argument: { name: 'topic', description: 'The topic of the decision', complete: listTitles },
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

/** The values that complete an argument. */
const MAX_VALUES = 20

/** The people whose name has what is begun. */
async function listNames({ services, actor }: Call, begun: string) {
  if (!actor.scopes.has('sessions:read')) return []
  const page = { limit: MAX_VALUES, cursor: undefined }
  const { people } = await searchPeople(services, actor, { name: begun.slice(0, MAX_ARGUMENT), ...page })
  return people.map(({ name }) => name)
}

/** The titles of the newest conversations whose title has the words that are begun. */
async function listTitles({ services, actor, log }: Call, begun: string) {
  if (!actor.scopes.has('sessions:read')) return []
  const read = sessionListQuery.safeParse({ limit: String(MAX_VALUES), ...(begun.trim() !== '' && { title: begun }) })
  if (!read.success) return []
  const { sessions } = await listSessions({ ...services, log }, actor, { ...read.data, tag: undefined })
  return [...new Set(sessions.flatMap(row => ('title' in row && row.title ? [oneLine(row.title)] : [])))]
}

/** Adds the prompts whose tools the token may use. */
export function addPrompts(server: McpServer, call: Call) {
  const { scopes } = call.actor
  for (const [name, { title, description, operation, argument, text }] of Object.entries(PROMPTS)) {
    if (!OPERATIONS[operation].some(scope => scopes.has(scope))) continue
    const answer = (given: string) => ({
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: text(given) } }]
    })
    if (!argument) server.registerPrompt(name, { title, description }, () => answer(''))
    else {
      const field = characters(1, MAX_ARGUMENT).meta({ description: argument.description })
      const argsSchema = z.object({
        [argument.name]: completable(field, async begun => await argument.complete(call, begun))
      })
      server.registerPrompt(name, { title, description, argsSchema }, given =>
        answer(quote(String(given[argument.name])))
      )
    }
  }
}
