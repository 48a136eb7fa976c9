/** The part of the stylesheet for lists: tabs, chips of filters, rows, what is done with many rows, and results of a search. */
export const LIST_STYLE = `
.top { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; margin-bottom: .875rem; }
.top h1 { margin: 0; }
.count { color: var(--quiet); font-size: var(--l); }
.acts, .actions { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; }
.acts { margin-inline-start: auto; }
:is(.acts, .actions, .bulk, .pop, .row) :is(button, .button) { margin: 0; }
.tabs { display: flex; gap: 1.25rem; margin-bottom: .75rem; border-bottom: var(--hair); overflow-x: auto; scrollbar-width: none; }
.tabs a { display: flex; gap: .4rem; padding: .4rem 0 .5rem; border-bottom: 2px solid transparent; color: var(--quiet); font-weight: 550; text-decoration: none; white-space: nowrap; }
.tabs a:hover { color: var(--ink); }
.tabs [aria-current] { border-color: var(--accent); color: var(--ink); }
.menu { position: relative; }
.menu > summary, .chip { list-style: none; }
.menu > summary::-webkit-details-marker { display: none; }
.pop { position: absolute; z-index: 5; top: calc(100% + 4px); inset-inline-end: 0; width: max-content; min-width: 13rem; max-width: 22rem; max-height: 70vh; padding: .375rem; overflow-y: auto; border-radius: 10px; background: var(--card); box-shadow: var(--shadow); }
.pop :is(a, button) { display: flex; width: 100%; gap: .6rem; justify-content: flex-start; align-items: center; min-height: 2rem; padding: .25rem .6rem; border: 0; border-radius: 6px; background: none; color: var(--ink); font-weight: 400; text-decoration: none; }
.pop :is(a, button):hover { background: var(--hover); }
.pop form { padding: .375rem; }
.pop form button:not(.danger) { justify-content: center; margin-top: .5rem; background: var(--accent); color: var(--on-accent); }
.pop label { margin: 0 0 .375rem; }
.pop .danger { color: var(--bad); }
.chips { display: flex; flex-wrap: wrap; gap: .375rem; align-items: center; margin: .75rem 0; }
.chip, .chip > summary, .chips > a { display: inline-flex; align-items: center; gap: .35rem; min-height: 1.75rem; max-width: 20rem; border-radius: 99px; color: var(--soft); font-size: var(--s); font-weight: 550; }
.chip > summary, .chips > a { padding: 0 .65rem; border: var(--hair); background: var(--card); text-decoration: none; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.chip > summary:hover, .chips > a:hover { background: var(--hover); }
.chip .i { width: .9rem; height: .9rem; }
.chip > .pop { inset-inline: 0 auto; }
.chips > :is(.on, [aria-current]) { border: 1px solid color-mix(in srgb, var(--accent) 34%, var(--ground)); background: var(--tint); color: var(--ink); }
.chips > .on bdi { overflow: hidden; text-overflow: ellipsis; }
.group { position: sticky; z-index: 2; top: 0; display: flex; flex-wrap: wrap; gap: 0 .5rem; align-items: baseline; margin: 0; padding: 1rem 0 .375rem; background: var(--ground); font-size: var(--s); }
.group .quiet { font-weight: 400; }
.row {
  position: relative; display: grid; grid-template-columns: 1.75rem minmax(0, 1fr) 13.5rem 6rem 6.25rem 4.5rem 4rem 2rem; gap: 0 1rem; align-items: center; min-height: 3.5rem;
  margin: 0 -.75rem; padding: .375rem .75rem .375rem .25rem; border-radius: 10px;
}
main .rows > .row { margin: 0 -.75rem; }
.row:hover { background: var(--hover); }
.rows > li + li::before { content: ""; position: absolute; inset: -1px .75rem auto 2.75rem; border-top: var(--hair); }
.row .mark { display: grid; place-items: center; width: 1.75rem; height: 1.75rem; background: none; color: var(--quiet); }
.row .mark > * { grid-area: 1 / 1; }
.pick { position: relative; z-index: 1; opacity: 0; }
.row:hover .pick, .pick:focus-visible, .picking .pick, form:has(.pick:checked) .pick { opacity: 1; }
.row:hover .pick ~ .i, .pick:focus-visible ~ .i, .picking .pick ~ .i, form:has(.pick:checked) .pick ~ .i { opacity: 0; }
.row:has(.pick:checked) { background: var(--tint); }
.row .what { min-width: 0; }
.row .name { display: flex; gap: .5rem; align-items: center; min-width: 0; }
.t { min-width: 0; overflow: hidden; color: var(--ink); font-weight: 600; text-decoration: none; text-overflow: ellipsis; white-space: nowrap; }
.t::after { content: ""; position: absolute; inset: 0; border-radius: 10px; }
main .row .sum { margin: 0; overflow: hidden; color: var(--quiet); font-size: var(--s); text-align: left; text-overflow: ellipsis; white-space: nowrap; max-width: none; }
.row :is(.dur, .at-time) { color: var(--quiet); font-size: var(--s); text-align: end; white-space: nowrap; }
.row .at-time { color: var(--soft); }
.labels { display: flex; flex-wrap: wrap; gap: .3rem; min-width: 0; margin: 0; }
.row .labels { flex-wrap: nowrap; justify-content: flex-end; overflow: hidden; }
.label { display: inline-flex; align-items: center; gap: .3rem; min-width: 0; max-width: 9rem; min-height: 1.5rem; padding: 0 .5rem; border-radius: 6px; background: var(--sunk); color: var(--soft); font-size: var(--xs); text-decoration: none; white-space: nowrap; }
.label span { overflow: hidden; text-overflow: ellipsis; }
a.label:hover { background: var(--hover); color: var(--ink); }
.label .i { width: .8125rem; height: .8125rem; }
.label.tag::before { content: "#" / ""; color: var(--quiet); }
.row :is(.label, .star, .menu) { position: relative; z-index: 1; }
.row .menu[open] { z-index: 6; }
.star { min-height: 1.75rem; width: 1.75rem; margin: 0; padding: 0; border: 0; background: none; color: var(--quiet); opacity: 0; }
.star:hover { background: var(--hover); }
.row:hover .star, .star:focus-visible, .star[aria-pressed="true"] { opacity: 1; }
.star[aria-pressed="true"] .i { fill: currentColor; color: var(--warn); }
.pill { display: inline-flex; flex: none; align-items: center; gap: .35rem; padding: 0 .5rem; border-radius: 99px; background: var(--tint); color: var(--accent); font-size: var(--xs); font-weight: 600; line-height: 1.375rem; white-space: nowrap; }
.pill.failed { background: var(--bad-tint); color: var(--bad); }
.pill.deleted { background: var(--sunk); color: var(--soft); }
.pill .i { width: .875rem; height: .875rem; }
.bulk { position: sticky; z-index: 4; bottom: 1rem; display: none; flex-wrap: wrap; gap: .375rem; align-items: center; width: fit-content; margin: 1rem auto 0; padding: .5rem .5rem .5rem 1rem; border-radius: 12px; background: var(--card); box-shadow: var(--shadow); }
form:has(.pick) { counter-reset: picked; }
.pick:checked { counter-increment: picked; }
form:has(.pick:checked) .bulk, .picking .bulk { display: flex; }
.bulk .pop { inset: auto auto calc(100% + 8px) 0; }
.bulk .of::before { content: counter(picked) " "; }
.bulk .of { margin-inline-end: .5rem; font-weight: 600; }
@supports not selector(:has(a)) { .bulk { display: flex; } .pick { opacity: 1; } .pick ~ .i { opacity: 0; } }
.more { margin-top: 1rem; }
.empty { padding: 2rem 1rem; border-radius: 12px; background: var(--sunk); text-align: center; }
.steps { text-align: start; }
.steps ol { max-width: none; padding: 0; list-style: none; }
.steps h3 { margin: 1.25rem 0 .25rem; }
.steps .button { margin-top: .25rem; }
main .empty, main .empty > * { max-width: none; }
.empty > :first-child { margin-top: 0; }
.face, .voice::before { display: inline-grid; place-items: center; flex: none; width: 1.5rem; height: 1.5rem; border-radius: 50%; background: color-mix(in srgb, var(--v) 16%, var(--card)); color: color-mix(in srgb, var(--v) 78%, var(--ink)); font-size: .625rem; font-weight: 650; text-transform: uppercase; }
.face.mid { width: 2rem; height: 2rem; font-size: var(--xs); }
.faces { display: inline-flex; gap: 2px; align-items: center; }
.row > .faces { justify-content: flex-end; }
@media (max-width: 75rem) {
  .row { grid-template-columns: 1.75rem minmax(0, 1fr) 6rem 5rem 4.5rem 4rem 2rem; }
  .row > .labels { display: none; }
}
@media (max-width: 56rem) {
  .row { grid-template: "m n n s" auto "m f p d" auto / 1.75rem auto minmax(0, 1fr) auto; gap: .25rem .5rem; padding: .75rem; }
  .row > .what { grid-area: n; }
  .row > .mark { grid-area: m; align-self: start; }
  .row > .strip { grid-area: p; }
  .row > .faces { grid-area: f; justify-content: flex-start; }
  .row > .dur { display: none; }
  .row > .at-time { grid-area: d; }
  .row > .star { grid-area: s; place-self: start end; }
  .row .name { align-items: flex-start; }
  .t { display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; line-height: 1.35; white-space: normal; }
  .star { width: 2.5rem; min-height: 2.5rem; margin: -.5rem -.5rem 0 0; opacity: 1; }
  .pick { width: 1.25rem; height: 1.25rem; }
  .chip > summary, .chips > a { min-height: 2.25rem; }
  .filters-bar { position: relative; flex-wrap: nowrap; margin-inline: -1rem; padding-inline: 1rem; overflow-x: auto; scrollbar-width: none; }
  .filters-bar > * { flex: none; }
  .pop, .chip > .pop { position: fixed; inset: auto .5rem 4.25rem; width: auto; max-width: none; }
  .pop :is(a, button) { min-height: 2.75rem; }
  .bulk { position: fixed; inset: auto 0 calc(3.5rem + env(safe-area-inset-bottom)); width: auto; margin: 0; border-radius: 0; border-top: var(--hair); box-shadow: none; }
  main:has(.picking, .pick:checked) { padding-bottom: 14rem; }
  html:has(.picking, .pick:checked) { scroll-padding-bottom: 13rem; }
}
`
