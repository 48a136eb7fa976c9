import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import { type Call, isOfArguments, type Tool } from './tool.ts'
import { getSessionTool } from './tools/get-session.ts'
import { getTranscriptTool } from './tools/get-transcript.ts'

/** The resources, each of which reads as the first answer of a tool. */
const RESOURCES: Record<string, { title: string; tool: Tool }> = {
  session: { title: 'Summary of a conversation', tool: getSessionTool },
  transcript: { title: 'Transcript of a conversation', tool: getTranscriptTool }
}

/** Adds the resources whose tools the token may use; with `every`, all of them, because the operation checks the scope. */
export function addResources(server: McpServer, call: Call, every: boolean) {
  for (const [scheme, { title, tool }] of Object.entries(RESOURCES)) {
    if (!every && !tool.scopes.some(scope => call.actor.scopes.has(scope))) continue
    const template = new ResourceTemplate(`${scheme}://{id}`, { list: undefined })
    const mimeType = 'text/plain'
    const description = `${title}, by its id, such as ${scheme}://ses_01m7x9fbe4fey9tg3s33gak8w3`
    server.registerResource(scheme, template, { title, description, mimeType }, async (uri, { id }) => {
      try {
        const { text } = await tool.answer(call, { id })
        return { contents: [{ uri: uri.href, mimeType, text }] }
      } catch (error) {
        if (!isOfArguments(error)) call.fail(error)
        throw new ResourceNotFoundError(uri.href)
      }
    })
  }
}
