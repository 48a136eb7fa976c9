import { z } from 'zod'
import { pathId } from '../common.ts'
import { IdempotencyHeaders } from '../idempotency.ts'
import { LIMITS } from '../limits.ts'
import { OPERATIONS } from '../operations.ts'
import { ApplyQuery, Term, TermApplication, TermCreate, TermList, TermPatch, TermsImported } from '../term.ts'
import { TERM_EXAMPLES } from '../term-example.ts'
import type { RouteDescription } from './route.ts'

const tags = ['Terms']
const params = z.object({ id: pathId('The id of the term.', TERM_EXAMPLES.term.id) })
const request = { heard: TERM_EXAMPLES.term.heard, meant: TERM_EXAMPLES.term.meant }

export const TERM_ROUTES = {
  listTerms: {
    method: 'GET',
    url: '/terms',
    config: {
      scopes: OPERATIONS.listTerms,
      headers: ['Content-Disposition', 'Vary', 'ETag'],
      openapi: { example: TERM_EXAMPLES.list, files: { 'text/csv': TERM_EXAMPLES.csv } }
    },
    schema: {
      operationId: 'listTerms',
      tags,
      summary: 'List terms',
      description:
        'All terms, the oldest first. Send `Accept: text/csv` to get them as CSV: a row for each heard form, with the columns `heard` and `meant`.',
      response: { 200: TermList }
    }
  },
  getTerm: {
    method: 'GET',
    url: '/terms/:id',
    config: { scopes: OPERATIONS.getTerm, headers: ['ETag'], openapi: { example: TERM_EXAMPLES.term } },
    schema: { operationId: 'getTerm', tags, summary: 'Get a term', params, response: { 200: Term } }
  },
  createTerm: {
    method: 'POST',
    url: '/terms',
    config: {
      scopes: OPERATIONS.createTerm,
      openapi: { request, errors: ['conflict', 'limit_exceeded'], example: TERM_EXAMPLES.term }
    },
    schema: {
      operationId: 'createTerm',
      tags,
      summary: 'Add a term',
      description:
        'From now on, new transcripts are corrected by it, and a transcription server gets what is meant as its prompt. A form that another term has is refused. Existing transcripts stay as they are until you apply the term.',
      headers: IdempotencyHeaders,
      body: TermCreate,
      response: { 201: Term }
    }
  },
  importTerms: {
    method: 'POST',
    url: '/terms/import',
    bodyLimit: LIMITS.openBodies.above,
    config: {
      scopes: OPERATIONS.importTerms,
      content: {
        'text/csv': { schema: { type: 'string', maxLength: LIMITS.openBodies.above }, example: TERM_EXAMPLES.csv }
      },
      openapi: { errors: ['conflict', 'limit_exceeded'], example: TERM_EXAMPLES.imported }
    },
    schema: {
      operationId: 'importTerms',
      tags,
      summary: 'Import terms',
      description:
        'Adds the terms of a CSV file with the columns `heard` and `meant`: a row for each heard form. Rows with the same meaning are one term, also with one that exists. All of them, or none. Repeating it changes nothing.',
      headers: IdempotencyHeaders,
      response: { 200: TermsImported }
    }
  },
  updateTerm: {
    method: 'PATCH',
    url: '/terms/:id',
    config: {
      scopes: OPERATIONS.updateTerm,
      openapi: { request: { heard: request.heard }, errors: ['conflict'], example: TERM_EXAMPLES.term }
    },
    schema: {
      operationId: 'updateTerm',
      tags,
      summary: 'Change a term',
      description: 'Changes the sent fields. What the term has corrected already stays as it is.',
      params,
      body: TermPatch,
      response: { 200: Term }
    }
  },
  deleteTerm: {
    method: 'DELETE',
    url: '/terms/:id',
    config: { scopes: OPERATIONS.deleteTerm },
    schema: {
      operationId: 'deleteTerm',
      tags,
      summary: 'Delete a term',
      description: 'Ends its application, if it is being applied. What the term has corrected stays corrected.',
      params,
      response: { 204: z.undefined() }
    }
  },
  applyTerm: {
    method: 'POST',
    url: '/terms/:id/apply',
    config: {
      scopes: OPERATIONS.applyTerm,
      openapi: { errors: ['conflict'], example: TERM_EXAMPLES.accepted }
    },
    schema: {
      operationId: 'applyTerm',
      tags,
      summary: 'Apply a term to existing transcripts',
      description:
        'Corrects all transcripts that have the term, in the background. Follow it with `GET /v1/terms/{id}/apply`. Each session is changed as a whole, and records `session.updated`. With `dry_run=true` it counts the same sessions and lines, and changes nothing. Applying a term again changes nothing.',
      params,
      querystring: ApplyQuery,
      response: { 202: TermApplication }
    }
  },
  getTermApplication: {
    method: 'GET',
    url: '/terms/:id/apply',
    config: {
      scopes: OPERATIONS.getTermApplication,
      openapi: { example: TERM_EXAMPLES.application }
    },
    schema: {
      operationId: 'getTermApplication',
      tags,
      summary: 'Get the progress of applying a term',
      description: 'The last application of the term, or its last dry run. Not found before the first one.',
      params,
      response: { 200: TermApplication }
    }
  }
} satisfies Record<string, RouteDescription>
