import { versionOf } from './compressed-file.ts'
import { FIGURE_STYLE } from './figure-style.ts'
import { GUIDE_STYLE } from './guide-style.ts'
import { LIST_STYLE } from './list-style.ts'
import { SEARCH_STYLE } from './search-style.ts'
import { SESSION_STYLE } from './session-style.ts'
import { SETTINGS_STYLE } from './settings-style.ts'
import { SHELL_STYLE } from './shell-style.ts'
import { TOKENS } from './tokens.ts'

/** Text, links, fields, buttons and tables, which every page has. */
const BASE = `
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink); font: var(--m)/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%;
}
a { color: var(--accent); text-underline-offset: .18em; }
bdi { unicode-bidi: isolate; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
[hidden] { display: none !important; }
.hidden { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -99rem; z-index: 9; padding: .5rem .75rem; background: var(--card); }
.skip:focus { left: .75rem; top: .75rem; }
.i { width: 1.125rem; height: 1.125rem; flex: none; fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
.sprite { position: absolute; width: 0; height: 0; }
h1 { margin: 0 0 .875rem; font-size: var(--xl); line-height: 1.25; font-weight: 650; letter-spacing: -.015em; text-wrap: balance; }
h2 { margin: 2rem 0 .5rem; font-size: var(--r); line-height: 1.4; font-weight: 650; }
h3 { margin: 1.5rem 0 .375rem; font-size: var(--m); font-weight: 600; }
main :is(p, ul, ol) { margin: .75rem 0; max-width: var(--reading); }
main li { margin: .25rem 0; }
:is(h1, h2, h3, p, li, td, dt, dd, summary, label) { overflow-wrap: anywhere; }
form { margin: 0; }
label { display: block; margin: 1rem 0 .25rem; color: var(--soft); font-size: var(--s); font-weight: 550; }
input, select, textarea {
  width: 100%; min-height: var(--target); padding: .3rem .6rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: var(--ink);
  font: inherit;
}
textarea { line-height: 1.55; resize: vertical; }
::placeholder { color: var(--quiet); opacity: 1; }
input:is([type="checkbox"], [type="radio"]) { width: 1rem; height: 1rem; min-height: 0; margin: 0; accent-color: var(--accent); }
label :is(input, select, textarea) { font-size: var(--m); font-weight: 400; }
label > :is(input:not([type="checkbox"], [type="radio"]), select, textarea) { display: block; margin-top: .25rem; }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; gap: .4rem; max-width: 100%; min-height: var(--target); margin-top: .875rem;
  padding: .25rem .75rem; border: 1px solid var(--accent); border-radius: 8px; background: var(--accent); color: var(--on-accent); font: inherit;
  font-weight: 550; line-height: 1.3; text-decoration: none; overflow-wrap: anywhere; cursor: pointer;
}
button:hover, .button:hover { background: color-mix(in srgb, var(--accent) 88%, var(--ink)); }
:is(button, .button):is(.second, .ghost) { border-color: var(--line); background: var(--card); color: var(--ink); }
:is(button, .button).ghost { border-color: transparent; background: none; color: var(--soft); }
:is(button, .button):is(.second, .ghost):hover { background: var(--hover); }
button.bad { border-color: var(--bad); background: var(--bad); color: var(--ground); }
.icon { width: var(--target); padding: 0; }
button.plain { min-height: 0; margin: 0; padding: 0; border: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; }
.danger, button.plain.danger { color: var(--bad); }
.wide { display: flex; text-align: center; }
.problem { color: var(--bad); margin: .375rem 0 0; }
.quiet, .about { color: var(--quiet); font-size: var(--s); }
.about { margin: -.375rem 0 1rem; max-width: none; }
summary { cursor: pointer; color: var(--accent); font-weight: 550; }
mark { background: var(--mark); color: var(--mark-ink); border-radius: 3px; padding: 0 .1em; }
kbd { min-width: 1.25rem; padding: 0 .3rem; border: var(--hair); border-radius: 4px; background: var(--card); color: var(--quiet); font: 500 .6875rem/1.125rem ui-monospace, Menlo, Consolas, monospace; text-align: center; }
code { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
:not(pre) > code { padding: 1px 5px; border-radius: 5px; background: var(--sunk); overflow-wrap: anywhere; }
pre { margin: .875rem 0; padding: .875rem 1rem; overflow-x: auto; border-radius: 10px; background: var(--sunk); }
.table { margin: .875rem 0; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: var(--s); }
th, td { padding: .5rem .75rem .5rem 0; text-align: start; vertical-align: top; border-bottom: var(--hair); min-width: 6rem; }
th { color: var(--quiet); font-weight: 600; }
progress { appearance: none; display: block; width: 100%; height: 4px; border: 0; border-radius: 9px; background: var(--line); overflow: hidden; }
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--accent); }
progress::-moz-progress-bar { background: var(--accent); }
`

const PRINT = `
@media print {
  .rail, .topbar, .side, nav, button, .acts, .playing { display: none !important; }
  .shell, .session { display: block !important; } .came { position: static !important; max-height: none !important; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
@media (max-width: 56rem) { input, select, textarea, label :is(input, select, textarea) { font-size: 1rem; } }
@media screen and (max-width: 40rem) {
  .table :is(table, tbody, tr, td) { display: block; }
  .table tr { padding: .5rem 0; border-bottom: var(--hair); }
  .table td { padding: .125rem 0; border: 0; }
  .table :is(thead, td:empty) { display: none; }
  .table td:not(:first-child, [data-column=""])::before { content: attr(data-column) ": "; color: var(--quiet); }
}
@media (hover: none) { kbd { display: none !important; } }
`

/** The stylesheets by their names. All pages have the first one; guides, settings, figures and results of a search have one more. */
export const STYLES = {
  style: sheet(TOKENS, BASE, SHELL_STYLE, LIST_STYLE, SESSION_STYLE, PRINT),
  guide: sheet(GUIDE_STYLE),
  search: sheet(SEARCH_STYLE),
  settings: sheet(SETTINGS_STYLE, FIGURE_STYLE)
}

export type StyleName = keyof typeof STYLES

/** The path of a stylesheet below `/assets`. It changes with the content, so that browsers may keep it. */
export function styleFile(name: StyleName) {
  return `${name}.css?v=${STYLES[name].version}`
}

/** A stylesheet without the spaces and remarks that are for readers of its parts. */
function sheet(...parts: string[]) {
  const text = parts
    .join('')
    .replace(/\/\*.*?\*\//g, '')
    .replace(/\s*([{};,>])\s*/g, '$1')
    .replace(/([a-z-]): /g, '$1:')
    .replaceAll(';}', '}')
  return { text, version: versionOf(text) }
}
