import { setTimeout as sleep } from 'node:timers/promises'
import type { LibraryImported } from '../../contract/library-imported.ts'
import type { LibraryImport } from '../../features/ingest/library/whole-library.ts'
import { type Html, html, when } from '../web/html.ts'
import { counted, inWords } from './numbers.ts'
import type { View, Visit } from './visit.ts'

/** Browsers and proxies give up on a page of which nothing comes for a minute. */
const PAUSE_MS = 5_000
/** A page of progress has at most as many lines. */
const LINES = 20

/**
 * The page of a library that is being imported, which grows until it says what the library has brought. The import goes on if the browser leaves, and
 * disposes of `held` at its end. The script shows the progress, and the part with `data-imported`.
 */
export function importView({ log }: Pick<Visit, 'log'>, library: LibraryImport, held: AsyncDisposable): View {
  let sessions = 0
  const done = library.run(() => void sessions++).finally(() => held[Symbol.asyncDispose]())
  done.catch((error: unknown) => log.error({ err: error }, 'import of a library failed'))

  async function* grow(): AsyncGenerator<Html> {
    let result: LibraryImported | undefined
    let lines = 0
    for (;;) {
      const stop = new AbortController()
      const pause = sleep(PAUSE_MS, undefined, { signal: stop.signal }).catch(() => undefined)
      result = await Promise.race([done, pause]).finally(() => stop.abort())
      if (result) return yield outcomeOf(result)
      const reached = Math.floor((LINES * sessions) / Math.max(library.total, sessions, 1))
      yield reached > lines ? lineOf(sessions, library.total) : html`\n`
      lines = Math.max(lines, reached)
    }
  }

  return { title: 'Imported library', part: 'upload', main: html`<h1>Imported library</h1>\n`, rest: grow() }
}

function lineOf(sessions: number, total: number) {
  return html`<p class="facts" data-progress>${inWords(sessions)} of ${counted(total, 'conversation')} so far</p>\n`
}

function outcomeOf(library: LibraryImported) {
  const {
    sessions_added: added,
    sessions_existing: existing,
    problem_count: problems,
    warning_count: warnings
  } = library
  return html`<div data-imported><p class="facts">${counted(added, 'conversation')} imported, ${inWords(existing)} were here already, ${counted(problems, 'problem')}.</p>
${listOf(library.problems, problems, 'more problem')}${when(warnings > 0, () => html`<p class="facts">Not taken over:</p>${listOf(library.warnings, warnings, 'more note')}`)}</div>`
}

function listOf(sentences: readonly string[], count: number, noun: string) {
  const rest = count - sentences.length
  return when(
    count > 0,
    () =>
      html`<ul>${sentences.map(sentence => html`<li dir="auto">${sentence}</li>`)}${when(rest > 0, () => html`<li>${counted(rest, noun)}</li>`)}</ul>`
  )
}
