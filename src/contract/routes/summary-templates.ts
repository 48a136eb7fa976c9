import { z } from 'zod'
import { pathId } from '../common.ts'
import { IdempotencyHeaders } from '../idempotency.ts'
import { LIMITS } from '../limits.ts'
import { OPERATIONS } from '../operations.ts'
import {
  SummaryTemplate,
  SummaryTemplateCreate,
  SummaryTemplateList,
  SummaryTemplatePatch,
  TemplatesQuery
} from '../summary-template.ts'
import { TEMPLATE_EXAMPLES } from '../summary-template-example.ts'
import type { RouteDescription } from './route.ts'

const tags = ['Summary templates']
const params = z.object({ id: pathId('The id of the template.', TEMPLATE_EXAMPLES.template.id) })

export const SUMMARY_TEMPLATE_ROUTES = {
  listSummaryTemplates: {
    method: 'GET',
    url: '/summary-templates',
    config: {
      scopes: OPERATIONS.listSummaryTemplates,
      headers: ['ETag'],
      openapi: { example: TEMPLATE_EXAMPLES.list }
    },
    schema: {
      operationId: 'listSummaryTemplates',
      tags,
      summary: 'List summary templates',
      description: 'The built-in templates, and then your own, the oldest first.',
      querystring: TemplatesQuery,
      response: { 200: SummaryTemplateList }
    }
  },
  getSummaryTemplate: {
    method: 'GET',
    url: '/summary-templates/:id',
    config: {
      scopes: OPERATIONS.getSummaryTemplate,
      headers: ['ETag'],
      openapi: { example: TEMPLATE_EXAMPLES.template }
    },
    schema: {
      operationId: 'getSummaryTemplate',
      tags,
      summary: 'Get a summary template',
      params,
      response: { 200: SummaryTemplate }
    }
  },
  createSummaryTemplate: {
    method: 'POST',
    url: '/summary-templates',
    bodyLimit: LIMITS.openBodies.above,
    config: {
      scopes: OPERATIONS.createSummaryTemplate,
      openapi: {
        request: TEMPLATE_EXAMPLES.request,
        errors: ['conflict', 'limit_exceeded', 'not_found'],
        example: TEMPLATE_EXAMPLES.template
      }
    },
    schema: {
      operationId: 'createSummaryTemplate',
      tags,
      summary: 'Add a summary template',
      description:
        'New sessions that it is the default for are summarized by it, and any session when you ask for it by name. Summaries that exist stay as they are. A name that another template has, in any case, is refused, and so is a type, tag or folder that has another default.',
      headers: IdempotencyHeaders,
      body: SummaryTemplateCreate,
      response: { 201: SummaryTemplate }
    }
  },
  updateSummaryTemplate: {
    method: 'PATCH',
    url: '/summary-templates/:id',
    bodyLimit: LIMITS.openBodies.above,
    config: {
      scopes: OPERATIONS.updateSummaryTemplate,
      openapi: {
        request: { default_for: { types: ['meeting'] } },
        errors: ['conflict'],
        example: TEMPLATE_EXAMPLES.template
      }
    },
    schema: {
      operationId: 'updateSummaryTemplate',
      tags,
      summary: 'Change a summary template',
      description:
        'Changes the sent fields; `sections` is replaced as a whole. Of a built-in template only `default_for` can be changed. Summaries that exist stay as they are.',
      params,
      body: SummaryTemplatePatch,
      response: { 200: SummaryTemplate }
    }
  },
  deleteSummaryTemplate: {
    method: 'DELETE',
    url: '/summary-templates/:id',
    config: { scopes: OPERATIONS.deleteSummaryTemplate, openapi: { errors: ['conflict'] } },
    schema: {
      operationId: 'deleteSummaryTemplate',
      tags,
      summary: 'Delete a summary template',
      description:
        'It is the default for nothing any more. Summaries that were made by it keep its name. A built-in template can’t be deleted.',
      params,
      response: { 204: z.undefined() }
    }
  }
} satisfies Record<string, RouteDescription>
