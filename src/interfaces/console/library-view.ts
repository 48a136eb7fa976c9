import type { LibraryImported } from '../../contract/library-imported.ts'
import { html, when } from '../web/html.ts'
import { counted, inWords } from './numbers.ts'
import type { View } from './visit.ts'

/** The page of an imported library: how many of its conversations are new, and what could not be imported. The script shows the part with `data-imported`. */
export function libraryView({
  sessions_added: added,
  sessions_existing: existing,
  problem_count: count,
  problems
}: LibraryImported): View {
  const rest = count - problems.length
  return {
    title: 'Imported library',
    part: 'upload',
    main: html`<h1>Imported library</h1>
<div data-imported><p class="facts">${counted(added, 'conversation')} imported, ${inWords(existing)} were here already, ${counted(count, 'problem')}.</p>
${when(count > 0, () => html`<ul>${problems.map(problem => html`<li dir="auto">${problem}</li>`)}${when(rest > 0, () => html`<li>${counted(rest, 'more problem')}</li>`)}</ul>`)}</div>`
  }
}
