import { z } from 'zod'
import { sessionId } from '../common.ts'
import { EXAMPLES } from '../examples.ts'
import { MediaResponse } from '../media.ts'
import { OPERATIONS } from '../operations.ts'
import type { RouteDescription } from './route.ts'

const tags = ['Sessions']

export const RECORDING_ROUTES = {
  getMedia: {
    method: 'GET',
    url: '/sessions/:id/media',
    config: { scopes: OPERATIONS.getMedia, openapi: { example: EXAMPLES.media } },
    schema: {
      operationId: 'getMedia',
      tags,
      summary: 'Get links to the recording of a session',
      description:
        'Links signed by this server are valid for one hour, for anyone who has them. Follow their redirects. URLs of recordings on other servers are returned unchanged.',
      params: z.object({ id: sessionId }),
      response: { 200: MediaResponse }
    }
  }
} satisfies Record<string, RouteDescription>
