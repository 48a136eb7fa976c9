import { z } from 'zod'
import { changeTags } from '../../../features/sessions/operations.ts'
import { ApiError, describeError, invalid } from '../../../platform/core/api-error.ts'
import { NOTICE, quote } from '../answer-text.ts'
import { conversationTags, ownConversations } from '../arguments.ts'
import { type Call, defineTool } from '../tool.ts'

export const changeTagsTool = defineTool({
  name: 'change_tags',
  title: 'Add and remove tags',
  description: 'Adds and removes single tags of conversations, which keep their other tags.',
  operation: 'updateSession',
  input: z.object({
    ids: ownConversations,
    add: conversationTags.meta({ description: '' }),
    remove: conversationTags.meta({ description: '' })
  }),
  output: z.object({
    sessions: z.array(z.object({ id: z.string(), tags: z.array(z.string()) })),
    unchanged: z.array(z.object({ id: z.string(), problem: z.string() }))
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async confirm(_, { ids, ...sent }) {
    const tagging = readTagging(sent)
    return ids.length > 1 ? `${describe(tagging)} of ${ids.length} conversations?` : undefined
  },
  async answer(call, { ids: places, ...sent }) {
    const tagging = readTagging(sent)
    const sessions: { id: string; tags: string[] }[] = []
    const unchanged: { id: string; problem: string }[] = []
    for (const id of new Set(places.map(place => place.id))) {
      const { tags, problem } = await change(call, id, tagging)
      if (tags) sessions.push({ id, tags })
      else unchanged.push({ id, problem })
    }
    const lines = [
      ...sessions.map(({ id, tags }) => `${id} has the tags ${tags.map(quote).join(', ') || 'none'}`),
      ...unchanged.map(({ id, problem }) => `${id} is unchanged: ${problem}`)
    ]
    return { text: [NOTICE, ...lines].join('\n'), object: { sessions, unchanged } }
  }
})

type Tagging = Parameters<typeof changeTags>[3]

function readTagging({
  add = [],
  remove = []
}: {
  add?: string[] | undefined
  remove?: string[] | undefined
}): Tagging {
  if (add.length + remove.length === 0) throw invalid({ field: 'arguments', expected: 'at least one of add, remove' })
  const both = add.find(tag => remove.includes(tag))
  if (both !== undefined) throw invalid({ field: 'remove', problem: `add has ${quote(both)} too` })
  return { add, remove }
}

function describe({ add, remove }: Tagging) {
  const parts = [
    ...(add.length > 0 ? [`add the tags ${add.map(quote).join(', ')}`] : []),
    ...(remove.length > 0 ? [`remove the tags ${remove.map(quote).join(', ')}`] : [])
  ]
  const sentence = parts.join(' and ')
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`
}

/** One conversation that is gone, or has too many tags, does not keep the others from being changed. */
async function change({ services, actor }: Call, id: string, tagging: Tagging) {
  try {
    return { tags: [...(await changeTags(services, actor, id, tagging))] }
  } catch (error) {
    if (!(error instanceof ApiError) || !['not_found', 'invalid_request'].includes(error.code)) throw error
    return { problem: describeError(error, 'give') }
  }
}
