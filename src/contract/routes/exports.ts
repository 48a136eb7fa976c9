import { z } from 'zod'
import { pathId } from '../common.ts'
import { EXPORT_EXAMPLES, ExportRequest, LibraryExport, LibraryExportList } from '../export.ts'
import { IdempotencyHeaders } from '../idempotency.ts'
import { OPERATIONS } from '../operations.ts'
import type { RouteDescription } from './route.ts'

const tags = ['Exports']
const params = z.object({ id: pathId('The id of the export.', EXPORT_EXAMPLES.completed.id) })

export const EXPORT_ROUTES = {
  createExport: {
    method: 'POST',
    url: '/exports',
    config: {
      scopes: OPERATIONS.createExport,
      openapi: {
        request: { format: 'zip', recordings: false },
        errors: ['limit_exceeded'],
        example: EXPORT_EXAMPLES.accepted
      }
    },
    schema: {
      operationId: 'createExport',
      tags,
      summary: 'Export the library',
      description:
        'Writes all your sessions and what belongs to them into one file, in the background. Follow it with `GET /v1/exports/{id}`, whose `download_url` leads to the file. The trash and sessions that are being processed are left out. A day later the file is removed.',
      headers: IdempotencyHeaders,
      body: ExportRequest,
      response: { 202: LibraryExport }
    }
  },
  listExports: {
    method: 'GET',
    url: '/exports',
    config: {
      scopes: OPERATIONS.listExports,
      openapi: { example: EXPORT_EXAMPLES.list }
    },
    schema: { operationId: 'listExports', tags, summary: 'List exports', response: { 200: LibraryExportList } }
  },
  getExport: {
    method: 'GET',
    url: '/exports/:id',
    config: { scopes: OPERATIONS.getExport, openapi: { example: EXPORT_EXAMPLES.completed } },
    schema: {
      operationId: 'getExport',
      tags,
      summary: 'Get the progress of an export, and the link to its file',
      params,
      response: { 200: LibraryExport }
    }
  },
  deleteExport: {
    method: 'DELETE',
    url: '/exports/:id',
    config: { scopes: OPERATIONS.deleteExport },
    schema: {
      operationId: 'deleteExport',
      tags,
      summary: 'Delete an export',
      description: 'Ends the export if it is running, and removes its file. Its link answers 404 from then on.',
      params,
      response: { 204: z.undefined() }
    }
  }
} satisfies Record<string, RouteDescription>
