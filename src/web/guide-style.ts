/** The part of the stylesheet for the guides: one column on a phone, navigation beside the text on a wide screen. */
export const GUIDE_STYLE = `
html:has(#pages) { scroll-padding-top: 112px; }
.all, .reference, .agents { font-size: .9375rem; }
search { position: relative; order: 1; flex: 1 1 100%; }
search[hidden], .results[hidden], .reference span, .agents { display: none; }
.results {
  position: absolute; left: 0; right: 0; top: calc(100% + 6px); max-height: 70vh; overflow-y: auto; margin: 0; padding: 6px; list-style: none;
  background: var(--card); border: 1px solid var(--line); border-radius: 10px; box-shadow: 0 8px 30px rgb(0 0 0 / .18);
}
.results a { display: block; padding: 8px 10px; border-radius: 6px; color: var(--ink); text-decoration: none; }
.results a:hover, .results a:focus { background: var(--field); }
.results strong { display: block; font-weight: 600; color: var(--accent); }
.results span, .results p { margin: 0; font-size: .875rem; color: var(--quiet); overflow-wrap: anywhere; }
.results p { padding: 8px 10px; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr); max-width: 76rem; margin: 0 auto; padding: 20px; gap: 20px 40px; }
#pages { font-size: .9375rem; }
#pages h2 { margin: 20px 0 6px; font-size: .8125rem; font-weight: 650; color: var(--quiet); }
#pages ul { margin: 0; padding: 0; list-style: none; }
#pages li a { display: block; padding: 4px 10px; border-radius: 6px; color: var(--ink); text-decoration: none; }
#pages li a:hover { background: var(--card); }
#pages [aria-current] { background: var(--card); color: var(--accent); font-weight: 600; }
main h2 { margin: 40px 0 10px; font-size: 1.375rem; line-height: 1.3; }
main h3 { margin: 28px 0 8px; font-size: 1.0625rem; }
main p, main ul, main ol { max-width: 46rem; margin: 12px 0; }
main li { margin: 4px 0; }
/* The mark takes no room, so that no line breaks before it. */
.anchor { position: absolute; color: var(--quiet); text-decoration: none; opacity: 0; font-weight: 400; }
:is(h1, h2, h3):hover .anchor, .anchor:focus { opacity: 1; }
pre { margin: 14px 0; padding: 14px 16px; overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
pre:not([data-language="text"]) { white-space: pre-wrap; overflow-wrap: anywhere; }
pre button {
  float: right; margin: -6px -8px 4px 12px; padding: 4px 10px; font: .8125rem/1.4 system-ui, sans-serif; cursor: pointer;
  border: 1px solid var(--line); border-radius: 6px; background: var(--field); color: var(--quiet);
}
.table { margin: 14px 0; overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { padding: 8px 12px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); min-width: 6rem; }
tr:last-child td { border-bottom: 0; }
th { font-size: .8125rem; color: var(--quiet); }
.file { font-style: italic; }
@media screen and (max-width: 40rem) {
  .table :is(table, tbody, tr, td) { display: block; }
  .table tr { padding: 8px 0; border-bottom: 1px solid var(--line); }
  .table td { padding: 2px 12px; border: 0; }
  .table :is(thead, td:empty) { display: none; }
  .table td:not(:first-child, [data-column=""])::before { content: attr(data-column) ": "; color: var(--quiet); }
}
@media (min-width: 60rem) {
  .columns { grid-template-columns: 14rem minmax(0, 1fr); padding-top: 32px; }
  #pages { order: -1; position: sticky; top: 72px; align-self: start; max-height: calc(100vh - 88px); overflow-y: auto; }
  .all { display: none; }
  .table code { overflow-wrap: normal; }
  .reference span, .agents { display: inline; }
  search { order: 0; flex: 0 1 30rem; margin-right: auto; }
  header:has(search) .name { width: 14rem; margin: 0; }
  header:has(search) { gap: 8px 40px; }
}
`
