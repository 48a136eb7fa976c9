import { versionOf } from './compressed-file.ts'
import { CONSOLE_STYLE } from './console-style.ts'
import { FIGURE_STYLE } from './figure-style.ts'
import { GUIDE_STYLE } from './guide-style.ts'
import { SESSION_STYLE } from './session-style.ts'
import { SETTINGS_STYLE } from './settings-style.ts'

/** The measures that the other parts are made of, and what every page has: text, header, forms, tables, cards. */
const BASE = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f8; --card: #fff; --ink: #1a1d24; --quiet: #566072; --line: #dcdfe6; --field: #f4f5f8; --accent: #2f4fc4; --on-accent: #fff;
  --bad: #b3261e; --mark: #ffe58a; --mark-ink: #1a1d24;
  --text: 1rem; --small: .9375rem; --fine: .875rem; --heading: 1.375rem; --subheading: 1.0625rem;
  --gap: 20px; --round: 12px; --edge: 8px; --width: 64rem; --line-width: 46rem;
  --side: max(20px, (100vw - var(--width)) / 2 + 20px);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12141a; --card: #1b1e26; --ink: #eceef3; --quiet: #a2abbb; --line: #323743; --field: #12141a; --accent: #9db2ff;
    --on-accent: #12141a; --bad: #ff9d94; --mark: #6b5a12; --mark-ink: #fff;
  }
}
* { box-sizing: border-box; }
html:has(.columns) { --width: 76rem; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: var(--text)/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; -webkit-text-size-adjust: 100%;
}
a { color: var(--accent); }
bdi { unicode-bidi: isolate; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
[hidden] { display: none !important; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 16px; top: 12px; z-index: 3; background: var(--card); padding: 4px 8px; }
main { min-width: 0; padding-bottom: 60px; }
main h1 { margin: 0 0 16px; font-size: clamp(1.625rem, 5vw, 2.125rem); line-height: 1.2; letter-spacing: -.01em; text-wrap: balance; }
main h2 { margin: 40px 0 10px; font-size: var(--heading); line-height: 1.3; }
main h3 { margin: 28px 0 8px; font-size: var(--subheading); }
main :is(p, ul, ol) { max-width: var(--line-width); margin: 12px 0; }
main li { margin: 4px 0; }
:is(h1, h2, h3, p, li, td, dt, dd, summary, label) { overflow-wrap: anywhere; }
label { display: block; margin: 20px 0 6px; font-weight: 600; }
form { margin: 0; }
input, select, textarea {
  width: 100%; padding: 7px 12px; border: 1px solid var(--quiet); border-radius: var(--edge); background: var(--field); color: var(--ink); font: inherit;
}
textarea { resize: vertical; }
input::placeholder { color: var(--quiet); opacity: 1; }
input[type="checkbox"] { width: auto; accent-color: var(--accent); }
label :is(input, select, textarea) { font-weight: 400; }
button, .button {
  display: inline-block; max-width: 100%; margin-top: 16px; padding: 9px 18px; border: 1px solid var(--accent); border-radius: var(--edge);
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; text-decoration: none; overflow-wrap: anywhere; cursor: pointer;
}
button:hover, .button:hover { filter: brightness(1.08); }
.plain { margin: 0; padding: 0; border: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; }
.problem { color: var(--bad); margin: 6px 0 0; }
.quiet { font-size: var(--small); color: var(--quiet); }
summary { cursor: pointer; color: var(--accent); font-weight: 600; }
code { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
:not(pre) > code { padding: 1px 5px; border-radius: 5px; background: var(--card); border: 1px solid var(--line); overflow-wrap: anywhere; }
pre { margin: 14px 0; padding: 14px 16px; overflow-x: auto; border: 1px solid var(--line); border-radius: var(--round); background: var(--card); }
.table { margin: 14px 0; overflow-x: auto; border: 1px solid var(--line); border-radius: var(--round); background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: var(--small); }
th, td { padding: 8px 12px; text-align: start; vertical-align: top; border-bottom: 1px solid var(--line); min-width: 6rem; }
tr:last-child td { border-bottom: 0; }
th { font-size: .8125rem; color: var(--quiet); }
`

/** The header of all pages. On a narrow screen the navigation of somebody who is signed in opens below the button. */
const HEADER = `
.bar {
  display: flex; flex-wrap: wrap; align-items: center; gap: 6px var(--gap); padding: 10px var(--side); background: var(--card);
  border-bottom: 1px solid var(--line); font-size: var(--small);
}
.name { font-size: var(--text); font-weight: 650; color: var(--ink); text-decoration: none; }
.parts { display: flex; flex-wrap: wrap; gap: 2px; }
.parts a { padding: 4px 10px; border-radius: 6px; color: var(--ink); text-decoration: none; }
.parts a:hover { background: var(--field); }
.parts [aria-current] { background: var(--field); color: var(--accent); font-weight: 600; }
.account { display: flex; margin-inline-start: auto; align-items: center; gap: 16px; min-width: 0; }
.who { max-width: 18rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--quiet); }
.menu > summary {
  width: fit-content; padding: 4px 14px; border: 1px solid var(--line); border-radius: var(--edge); background: var(--card); font-size: var(--small);
  list-style: none;
}
.menu > summary::-webkit-details-marker { display: none; }
.menu > summary::after { content: " ▾" / ""; }
.menu[open] > summary::after { content: " ▴" / ""; }
.bar > .menu { margin-inline-start: auto; }
@media (max-width: 59.99rem) {
  .menu:not([open]) ~ * { display: none; }
  .menu ~ .parts { flex-flow: column; flex-basis: 100%; margin: 0 -10px; }
  .menu ~ .parts a { padding: 8px 10px; }
  .menu ~ .account { flex-basis: 100%; justify-content: space-between; padding: 10px 0; border-top: 1px solid var(--line); }
}
@media (max-width: 24rem) { .bar { column-gap: 8px; } .parts a { padding-inline: 6px; } }
@media (min-width: 60rem) {
  .menu { display: none; }
  .menu ~ .parts { order: 1; flex-basis: 100%; margin: 0 -10px; }
}
`

const PRINT = `
@media print { .bar, .side, nav, button { display: none !important; } pre { white-space: pre-wrap; overflow-wrap: anywhere; } }
`

/** The one stylesheet of guides, messages and console. */
export const STYLE = BASE + HEADER + GUIDE_STYLE + CONSOLE_STYLE + SESSION_STYLE + SETTINGS_STYLE + FIGURE_STYLE + PRINT

/** Its name changes with its content, so that browsers may keep it. */
export const STYLE_VERSION = versionOf(STYLE)
export const STYLE_FILE = `style.css?v=${STYLE_VERSION}`
