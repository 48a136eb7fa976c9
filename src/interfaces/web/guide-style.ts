/** The part of the stylesheet for guides and the API reference: a text, and beside it the way through it. */
export const GUIDE_STYLE = `
.columns { display: grid; grid-template-columns: minmax(0, 1fr); max-width: 76rem; margin: 0 auto; padding: 1.25rem; gap: 1rem 2.5rem; }
.columns main { padding: 0 0 4rem; font-size: var(--r); line-height: 1.6; }
.columns main h1 { font-size: var(--xxl); }
.columns main h2 { margin-top: 2.5rem; font-size: 1.25rem; }
.columns main h3 { font-size: var(--l); }
.side > .menu > summary { width: fit-content; padding: .25rem .875rem; border: var(--hair); border-radius: 8px; }
.side > .menu > summary::after { content: " ▾" / ""; }
.side h2 { margin: 1.25rem 0 .375rem; color: var(--quiet); font-size: var(--s); }
.side h2 a { color: inherit; text-decoration: none; }
.side ul { margin: 0; padding: 0; list-style: none; }
.side li a { display: block; padding: .25rem .625rem; border-radius: 6px; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
.side li a:hover { background: var(--hover); }
.side [aria-current] { background: var(--tint); color: var(--accent); font-weight: 600; }
search { display: block; position: relative; margin-bottom: .75rem; }
.results { position: absolute; z-index: 3; left: 0; right: 0; top: calc(100% + 6px); max-height: 70vh; margin: 0; padding: .375rem; overflow-y: auto; border-radius: 10px; background: var(--card); box-shadow: var(--shadow); list-style: none; }
.results a:focus { background: var(--hover); }
.results strong { display: block; color: var(--accent); font-weight: 600; }
.results :is(span, p) { margin: 0; color: var(--quiet); font-size: var(--s); overflow-wrap: anywhere; }
.results p { padding: .5rem .625rem; }
/* The mark takes no room, so that no line breaks before it. */
.anchor { position: absolute; color: var(--quiet); font-weight: 400; text-decoration: none; opacity: 0; }
:is(h1, h2, h3):hover .anchor, .anchor:focus { opacity: 1; }
pre:not([data-language="text"]) { white-space: pre-wrap; overflow-wrap: anywhere; }
pre button { float: right; min-height: 1.75rem; margin: -.375rem -.5rem .25rem .75rem; padding: .125rem .625rem; border-color: var(--line); background: var(--card); color: var(--quiet); font-family: system-ui, sans-serif; font-size: var(--s); }
pre button:hover { background: var(--hover); }
.file { font-style: italic; }
.reference h3 { margin-top: 3rem; padding-top: 1.25rem; border-top: var(--hair); }
.reference li { font-size: var(--m); }
.reference blockquote { margin: 0; color: var(--quiet); }
.method { color: var(--accent); }
@media (max-width: 59.99rem) { .side > .menu:not([open]) ~ * { display: none; } }
@media (min-width: 60rem) {
  .columns { grid-template-columns: 15rem minmax(0, 1fr); padding-top: 2rem; }
  .side > .menu { display: none; }
  .side { position: sticky; top: 1rem; align-self: start; display: flex; flex-direction: column; max-height: calc(100vh - 2rem); }
  .side nav { min-height: 0; overflow-y: auto; }
  .results { right: auto; width: 30rem; }
  .table code { overflow-wrap: normal; }
}
`
