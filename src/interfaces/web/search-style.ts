/** The stylesheet of the results of a search. */
export const SEARCH_STYLE = `
.search { display: flex; gap: .5rem; max-width: var(--reading); }
.search .seek { flex: 1; min-width: 0; margin: 0; }
.search .i { left: .875rem; }
.search input { min-height: 2.75rem; padding-inline: 2.5rem .75rem; border-radius: 12px; font-size: 1.0625rem; }
.search button { flex: none; min-height: 2.75rem; margin: 0; border-radius: 12px; }
main .found { max-width: 60rem; margin: 0; padding: 0; list-style: none; }
.found > li { margin: 0; padding: 1.125rem 0 .75rem; border-top: var(--hair); }
.found > li:first-child { border: 0; }
.found h2 { margin: 0; text-align: left; }
.found h2 a { color: var(--ink); text-decoration: none; }
.found h2 a:hover { text-decoration: underline; }
.found .about { margin: 0 0 .25rem; }
.hit { display: flex; gap: .5rem 2rem; justify-content: space-between; align-items: center; }
.hit .strip { flex: none; width: 12rem; }
main .quotes { max-width: none; margin: 0; padding: 0; list-style: none; }
.quotes li { margin: 0; }
.moment { display: grid; grid-template-columns: 3.5rem 1.5rem minmax(0, 1fr); gap: .5rem; margin: 0 -.75rem; padding: .5rem .75rem; border-radius: 10px; color: var(--ink); font-size: var(--r); line-height: 1.55; text-decoration: none; }
.moment:hover { background: var(--hover); }
.moment time { color: var(--accent); font-size: var(--s); font-weight: 550; line-height: 1.5rem; }
.moment .quote { grid-column: 3; white-space: pre-line; overflow-wrap: anywhere; }
.moment b { font-weight: 600; }
@media (max-width: 56rem) {
  .hit { display: block; }
  .hit .strip { width: 100%; margin: .5rem 0; }
  .moment { grid-template-columns: 3rem minmax(0, 1fr); }
  .moment .face { display: none; }
  .moment .quote { grid-column: 2; }
}
`
