import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  ActionItemChange,
  ActionItemList,
  ActionItemListQuery,
  ListedActionItem
} from '../contract/action-item-list.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { REQUESTS } from '../contract/request-examples.ts'
import { IfMatch } from '../contract/session-change.ts'
import { preferredType } from '../core/accept.ts'
import { throwNotFound } from '../core/api-error.ts'
import { nameKey } from '../core/fold.ts'
import { nextLink } from '../core/links.ts'
import { cutPage } from '../core/page.ts'
import { requirePerson } from '../people/person-row.ts'
import type { Services } from '../services.ts'
import { toCsv } from './action-items-csv.ts'
import { changeActionItem } from './change-action-item.ts'
import { requireFolderId } from './list.ts'
import { listActionItems, listNameKeys } from './list-action-items.ts'

const tags = ['Action items']
const itemId = z
  .string()
  .meta({ description: 'The id of the action item.', examples: ['ai_01m7x9fbe4f0kr8y2sdc4n6vqe'] })
const STATUSES = { open: [false], done: [true], all: [false, true] }

export const actionItemRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, clock, publicUrl }) => {
  app.get(
    '/action-items',
    {
      config: {
        scopes: ['sessions:read'],
        errors: ['not_found'],
        example: EXAMPLES.actionItemList,
        files: { 'text/csv': toCsv(EXAMPLES.actionItemList.action_items) },
        headers: ['Link', 'Vary']
      },
      schema: {
        operationId: 'listActionItems',
        tags,
        summary: 'List action items of all sessions',
        description:
          'The action items of completed sessions: the earliest due date first, items without one last. Pass `next_cursor` as `cursor` to get the next page. Send `Accept: text/csv` to get the page as CSV.',
        querystring: ActionItemListQuery,
        response: { 200: ActionItemList }
      }
    },
    async (request, reply) => {
      const {
        actor: { userId },
        query
      } = request
      const { limit, cursor, status, assignee, person, due_before: dueBefore, due_after: dueAfter, folder } = query
      const folderId = folder === undefined ? undefined : await requireFolderId(db, userId, folder)
      const personId = person === undefined ? undefined : (await requirePerson(db, userId, person, 'person')).id
      const names = personId === undefined ? undefined : await listNameKeys(db, userId, personId)
      const named = assignee === undefined ? undefined : nameKey(assignee)
      const assignees = named === undefined ? names : (names ?? [named]).filter(name => name === named)
      const rows = await listActionItems(db, userId, {
        ...{ limit, cursor, completed: STATUSES[status], assignees },
        ...{ dueBefore, dueAfter, folderId, updatedSince: query.updated_since }
      })
      const { page, next } = cutPage(rows, limit, row => row.cursor)
      const items = page.map(({ item }) => item)
      reply.header('vary', 'Accept')
      if (preferredType(request.headers.accept, ['application/json', 'text/csv']) === 'text/csv') {
        if (next.next_cursor !== null) reply.header('link', nextLink(publicUrl, request.url, next.next_cursor))
        return sendCsv(reply, toCsv(items))
      }
      return { action_items: items, ...next }
    }
  )

  app.patch(
    '/action-items/:id',
    {
      config: {
        request: REQUESTS.actionItemChange,
        scopes: ['sessions:write'],
        errors: ['conflict'],
        example: EXAMPLES.actionItemChanged,
        headers: ['ETag']
      },
      schema: {
        operationId: 'updateActionItem',
        tags,
        summary: 'Change an action item',
        description:
          'Send the fields to change. Send `If-Match` with the version that you have read to avoid overwriting later changes. Records `session.updated` and `session.action_items.updated`, unless every value stays the same.',
        params: z.object({ id: itemId }),
        headers: z.looseObject({ 'if-match': IfMatch }),
        body: ActionItemChange,
        response: { 200: ListedActionItem }
      }
    },
    async ({ actor, params: { id }, headers, body }, reply) => {
      const options = { version: headers['if-match'], now: clock.now() }
      const changed = (await changeActionItem(db, actor.userId, id, body, options)) ?? throwNotFound('Action item')
      reply.header('etag', `"${changed.version}"`)
      return changed
    }
  )
}

function sendCsv(reply: FastifyReply, text: string) {
  return reply.type('text/csv; charset=utf-8').send(text)
}
