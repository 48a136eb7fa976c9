import { resourceOf } from '../../../contract/oauth.ts'
import { SCOPES } from '../../../contract/scopes.ts'
import { type ConnectedAgent, endAgent, listAgents } from '../../../features/oauth/agents.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { type Html, html } from '../../web/html.ts'
import { cardList } from '../cards.ts'
import { placeOf } from '../client-place.ts'
import { onDay } from '../dates.ts'
import { confirmed } from '../fields.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId, pathParams } from '../path-params.ts'
import { settingsView } from '../settings.ts'
import type { View, Visit } from '../visit.ts'

const PATH = '/settings/agents'
const Params = pathParams({ id: pathId('tok') })

/** The agents that the user has connected by OAuth: what each may do, when it was last used, and a button that disconnects it. */
export function agentsPage({ services, user }: Console) {
  user.page(PATH, NONE, async visit => agentsView(services, visit, await listAgents(services, visit.visitor.actor)))

  user.form(`${PATH}/:id/disconnect`, { ...NONE, params: Params }, async ({ visitor }, { params: { id } }) => {
    await endAgent(services, visitor.actor, id)
    return { to: PATH }
  })
}

function agentsView({ publicUrl }: Pick<Services, 'publicUrl'>, visit: Visit<Visitor>, agents: ConnectedAgent[]): View {
  return settingsView(visit, PATH, {
    title: 'Connected agents',
    main: html`<p>An agent, such as Claude or ChatGPT, reads your conversations if you connect it. Give it the address of the MCP server, and it asks you
for access here.</p>
<pre class="secret"><code>${resourceOf(publicUrl, 'mcp')}</code></pre>
${cardList(agents, agent => row(visit, agent), 'No agent is connected.', 'Your agents')}`
  })
}

function row({ form, visitor }: Visit<Visitor>, agent: ConnectedAgent): Html {
  const { id, name, redirect_uri, scopes, audience, connected_at, last_used_at: used } = agent
  // The day of the last use is counted in UTC.
  const lastUse = used === null ? 'never used' : `last used on ${onDay(new Date(used))}`
  return html`<li><h2 dir="auto">${name}</h2>
<p class="facts">Answers to ${placeOf(redirect_uri)}. Connected on ${onDay(new Date(connected_at), visitor.timeZone)}, ${lastUse}</p>
<details><summary>${scopes.length === 1 ? 'May do one thing' : `May do ${scopes.length} things`} through ${
    audience === 'mcp' ? 'the MCP server' : 'the whole API'
  }</summary>
<ul>${scopes.map(scope => html`<li>${SCOPES[scope]}</li>`)}</ul></details>
${confirmed(
  'Disconnect',
  'Its next request is refused. To use it again, connect it again.',
  form(`${PATH}/${id}/disconnect`, html`<button class="bad">Disconnect the agent</button>`)
)}</li>`
}
