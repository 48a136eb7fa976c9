/** The part of the stylesheet for guides and the API reference: a text, and beside it the way through it. */
export const GUIDE_STYLE = `
.columns { display: grid; grid-template-columns: minmax(0, 1fr); max-width: var(--width); margin: 0 auto; padding: var(--gap); gap: var(--gap) 40px; }
.side { font-size: var(--small); }
.side h2 { margin: 20px 0 6px; font-size: .8125rem; font-weight: 650; color: var(--quiet); }
.side ul { margin: 0; padding: 0; list-style: none; }
.side li a { display: block; padding: 4px 10px; border-radius: 6px; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
.side li a:hover { background: var(--card); }
.side [aria-current] { background: var(--card); color: var(--accent); font-weight: 600; }
search { display: block; position: relative; margin-bottom: 12px; }
.results {
  position: absolute; z-index: 3; left: 0; right: 0; top: calc(100% + 6px); max-height: 70vh; overflow-y: auto; margin: 0; padding: 6px; list-style: none;
  background: var(--card); border: 1px solid var(--line); border-radius: var(--round); box-shadow: 0 8px 30px rgb(0 0 0 / .18);
}
.results a:focus { background: var(--field); }
.results strong { display: block; font-weight: 600; color: var(--accent); }
.results span, .results p { margin: 0; font-size: var(--fine); color: var(--quiet); overflow-wrap: anywhere; }
.results p { padding: 8px 10px; }
/* The mark takes no room, so that no line breaks before it. */
.anchor { position: absolute; color: var(--quiet); text-decoration: none; opacity: 0; font-weight: 400; }
:is(h1, h2, h3):hover .anchor, .anchor:focus { opacity: 1; }
pre:not([data-language="text"]) { white-space: pre-wrap; overflow-wrap: anywhere; }
pre button {
  float: right; margin: -6px -8px 4px 12px; padding: 4px 10px; font: .8125rem/1.4 system-ui, sans-serif; border-color: var(--line); border-radius: 6px;
  background: var(--field); color: var(--quiet);
}
.file { font-style: italic; }
.reference h3 { margin-top: 48px; padding-top: 20px; border-top: 1px solid var(--line); }
.reference li { font-size: var(--small); }
.reference blockquote { margin: 0; color: var(--quiet); }
.method { color: var(--accent); }
.side h2 a { color: inherit; text-decoration: none; }
@media screen and (max-width: 40rem) {
  .table :is(table, tbody, tr, td) { display: block; }
  .table tr { padding: 8px 0; border-bottom: 1px solid var(--line); }
  .table td { padding: 2px 12px; border: 0; }
  .table :is(thead, td:empty) { display: none; }
  .table td:not(:first-child, [data-column=""])::before { content: attr(data-column) ": "; color: var(--quiet); }
}
@media (min-width: 60rem) {
  .columns { grid-template-columns: 15rem minmax(0, 1fr); padding-top: 32px; }
  .side { position: sticky; top: 16px; align-self: start; display: flex; flex-direction: column; max-height: calc(100vh - 32px); }
  .side nav { overflow-y: auto; min-height: 0; }
  .results { right: auto; width: 30rem; }
  .table code { overflow-wrap: normal; }
}
`
