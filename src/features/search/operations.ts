import type { SearchRequest, SearchResponse } from '../../contract/search.ts'
import { requireFieldScope } from '../access/actor.ts'
import { operation } from '../access/operation.ts'
import { requireFolderId } from '../library/list.ts'
import { requirePerson } from '../library/person-row.ts'
import type { Services } from '../services.ts'
import { findBestSessions } from './search.ts'

type Searching = Pick<Services, 'db' | 'slow' | 'replica' | 'clock' | 'queryEmbedder'>

/** Searches the completed sessions of the user. The mode is `lexical` if only terms were compared. */
export const searchSessions = operation(
  'searchSessions',
  async (
    { db, slow, replica, clock, queryEmbedder: embedder }: Searching,
    actor,
    request: SearchRequest
  ): Promise<{ response: SearchResponse; mode: 'hybrid' | 'lexical' }> => {
    const {
      query,
      limit,
      type,
      since,
      until,
      folder,
      person,
      tags: names,
      tag_mode,
      include_passages: passages
    } = request
    if (passages) requireFieldScope(actor, 'transcripts:read', 'include_passages')
    const { userId } = actor
    const folderId = folder === undefined ? undefined : await requireFolderId(db, userId, folder)
    const personId = person === undefined ? undefined : (await requirePerson(db, userId, person, 'person')).id
    const tags = names && names.length > 0 ? { mode: tag_mode, names } : undefined
    const { results, interpreted, mode } = await findBestSessions({ db, replica, slow, embedder }, userId, {
      query,
      limit,
      filter: { type, since, until, folderId, personId, tags },
      passages,
      now: request.interpret ? clock.now() : undefined
    })
    return { response: { query, ...(interpreted && { interpreted }), results, total: results.length }, mode }
  }
)
