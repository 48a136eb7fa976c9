import type { FastifyInstance } from 'fastify'
import type { Services } from '../../features/services.ts'
import { basePathOf } from '../../platform/net/links.ts'
import { compressedFile } from '../web/compressed-file.ts'
import { PUBLIC_FILE } from '../web/public-file.ts'
import { renderApi } from './api-markdown.ts'
import { readIndex, readWholeGuide } from './guides.ts'

/**
 * Pages for language models and their agents: `/llms.txt` (see llmstxt.org) leads to the guides and to `/v1/docs.md`, which has the whole
 * API in one answer; `/llms-full.txt` has the guides themselves. They need no token.
 */
export async function agentPages(app: FastifyInstance, { publicUrl }: Pick<Services, 'publicUrl'>) {
  const sendOverview = compressedFile('text/plain; charset=utf-8', async () =>
    Buffer.from(renderOverview(await readIndex(), publicUrl))
  )
  const sendGuides = compressedFile('text/plain; charset=utf-8', async () =>
    Buffer.from(`${renderOverview(await readIndex(), publicUrl)}\n\n${await readWholeGuide(publicUrl)}\n`)
  )
  const sendReference = compressedFile('text/markdown; charset=utf-8', async () =>
    Buffer.from(renderApi(JSON.parse(JSON.stringify(app.swagger())), basePathOf(publicUrl)))
  )

  app.get('/llms.txt', PUBLIC_FILE, sendOverview)
  app.get('/llms-full.txt', PUBLIC_FILE, sendGuides)
  app.get('/v1/docs.md', PUBLIC_FILE, sendReference)
}

/** The index of the guides, below a summary and the API. Its links are absolute, because programs hand the text on without its address. */
function renderOverview(index: string, publicUrl: string) {
  const groups = index.slice(index.indexOf('## ')).replaceAll(/\]\((\S+\.md)\)/g, `](${publicUrl}/docs/$1)`)
  return `# Parlance

> A self-hosted server for recorded conversations. It takes transcripts and recordings in, and serves sessions, summaries, action items,
> transcripts, search, folders, sharing, events and signed webhooks over HTTP.

The API is at \`${publicUrl}/v1\`. Each request carries \`Authorization: Bearer <token>\`. Assistants connect to \`${publicUrl}/mcp\`, an MCP server with the same data.

## API

- [Reference](${publicUrl}/v1/docs.md): the whole API on one page, enough to write a client
- [OpenAPI document](${publicUrl}/v1/openapi.json): the same for generators of clients
- [All guides](${publicUrl}/llms-full.txt): the pages below in one text

${groups}`
}
