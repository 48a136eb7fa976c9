import { z } from 'zod'
import { ActionItemsResponse } from '../action-item.ts'
import { ACTION_ITEMS_CSV } from '../action-item-csv-example.ts'
import { ActionItemChange, ActionItemList, ActionItemListQuery, ListedActionItem } from '../action-item-list.ts'
import { pathId, sessionId } from '../common.ts'
import { EXAMPLES } from '../examples.ts'
import { ItemsIfMatch } from '../if-match.ts'
import { OPERATIONS } from '../operations.ts'
import { REQUESTS } from '../request-examples.ts'
import type { RouteDescription } from './route.ts'

const itemId = pathId('The id of the action item.', 'ai_01m7x9fbe4f0kr8y2sdc4n6vqe')

export const ACTION_ITEM_ROUTES = {
  getActionItems: {
    method: 'GET',
    url: '/sessions/:id/action-items',
    config: { scopes: OPERATIONS.getActionItems, headers: ['ETag'], openapi: { example: EXAMPLES.actionItems } },
    schema: {
      operationId: 'getActionItems',
      tags: ['Sessions'],
      summary: 'Get the action items of a session',
      description:
        'The action items and their version, which is also the `ETag`. Send it as `If-Match` to avoid overwriting the changes of others.',
      params: z.object({ id: sessionId }),
      response: { 200: ActionItemsResponse }
    }
  },
  listActionItems: {
    method: 'GET',
    url: '/action-items',
    config: {
      scopes: OPERATIONS.listActionItems,
      headers: ['Content-Disposition', 'Link', 'Vary'],
      openapi: {
        errors: ['not_found'],
        example: EXAMPLES.actionItemList,
        files: { 'text/csv': ACTION_ITEMS_CSV }
      }
    },
    schema: {
      operationId: 'listActionItems',
      tags: ['Action items'],
      summary: 'List action items of all sessions',
      description:
        'The action items of completed sessions: the earliest due date first, items without one last. Pass `next_cursor` as `cursor` to get the next page. Send `Accept: text/csv` to get the page as CSV.',
      querystring: ActionItemListQuery,
      response: { 200: ActionItemList }
    }
  },
  updateActionItem: {
    method: 'PATCH',
    url: '/action-items/:id',
    config: {
      scopes: OPERATIONS.updateActionItem,
      headers: ['ETag'],
      openapi: { errors: ['conflict'], request: REQUESTS.actionItemChange, example: EXAMPLES.actionItemChanged }
    },
    schema: {
      operationId: 'updateActionItem',
      tags: ['Action items'],
      summary: 'Change an action item',
      description:
        'Send the fields to change. Send `If-Match` with the version that you have read to avoid overwriting later changes. Records `session.updated` and `session.action_items.updated`, unless every value stays the same.',
      params: z.object({ id: itemId }),
      headers: z.looseObject({ 'if-match': ItemsIfMatch }),
      body: ActionItemChange,
      response: { 200: ListedActionItem }
    }
  }
} satisfies Record<string, RouteDescription>
