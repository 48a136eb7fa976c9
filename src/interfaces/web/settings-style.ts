/** The part of the stylesheet for settings, uploads, folders, people and action items: entries parted by hairlines, and forms in a column. */
export const SETTINGS_STYLE = `
main .cards { max-width: none; margin: 0 0 1rem; padding: 0; list-style: none; }
.cards > li { min-width: 0; margin: 0; padding: .75rem 0; border-top: var(--hair); }
.cards > li:first-child { border: 0; }
.cards :is(h2, h3) { margin: 0; font-size: var(--m); font-weight: 600; }
.cards a:has(> h2) { color: var(--ink); text-decoration: none; }
.cards a:has(> h2):hover { text-decoration: underline; }
.cards ul { margin: .375rem 0; font-size: var(--s); }
.facts { max-width: none; margin: .125rem 0; color: var(--quiet); font-size: var(--s); }
.facts :is(a, span) { overflow-wrap: anywhere; }
.soon, .broken { color: var(--bad); font-weight: 600; }
.works { color: var(--good); font-weight: 600; }
.sheet { max-width: 36rem; }
.sheet > :first-child, .sheet > input[type="hidden"] + label { margin-top: 0; }
.ended, .agent, .secret { padding: .875rem 1.125rem; border: var(--hair); border-radius: 12px; background: var(--card); }
.secret { border-color: var(--accent); }
.secret code { font-weight: 600; }
.cards summary, .confirm > summary { font-size: var(--s); font-weight: 400; }
.cards details { margin-top: .375rem; }
.confirm > summary { color: var(--bad); }
.confirm p { margin: .5rem 0 0; font-size: var(--s); }
.inline { display: flex; flex-wrap: wrap; gap: .375rem .75rem; }
.cards .inline { margin-top: .375rem; }
.inline button, .inline .button { margin: 0; }
.quotas table { width: auto; }
.quotas :is(th, td) { padding: .375rem 1.25rem .375rem 0; color: var(--ink); min-width: 0; vertical-align: middle; }
.quotas td { overflow-wrap: normal; }
meter { width: min(10rem, 25vw); }
.find { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: end; max-width: 26rem; margin: 0 0 1rem; }
.find label { flex: 1 1 12rem; margin: 0; }
.find button { margin: 0; }
.address { max-width: none; overflow-wrap: anywhere; }
.page > .confirm { margin-top: 1rem; }
.as-sent { max-height: 24rem; overflow: auto; }
.cards .as-sent { margin: .5rem 0 0; }
.drop { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem; justify-items: center; padding: 2.25rem 1.5rem; border: 1.5px dashed var(--edge); border-radius: 16px; background: var(--sunk); text-align: center; }
.drop.over { border-color: var(--accent); background: var(--tint); }
.drop > .i { width: 1.75rem; height: 1.75rem; color: var(--accent); }
.drop strong { font-size: var(--l); }
.drop p { margin: 0; }
.drop input { width: auto; max-width: 100%; border: 0; background: none; }
.drop label { margin: 0; }
.drop input:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
.upload .top { margin: .75rem 0 0; justify-content: space-between; }
.upload .top button { margin: 0 0 0 auto; }
main .queue { max-width: none; margin: .25rem 0 0; padding: 0; list-style: none; }
.queue > li { display: grid; grid-template-columns: 1.5rem minmax(0, 1fr) 11rem auto; gap: .25rem .875rem; align-items: center; min-height: 3.5rem; margin: 0; padding: .5rem 0; border-top: var(--hair); }
.queue > li > .i { color: var(--quiet); }
.queue p { max-width: none; margin: 0; }
.queue .f { font-weight: 550; }
.queue .acts { min-width: 5.5rem; justify-content: flex-end; gap: .25rem; }
.queue .state span { display: block; width: fit-content; }
.queue .fields { display: grid; grid-column: 2 / -1; grid-template-columns: minmax(0, 1fr) 13rem 11rem; gap: .25rem .875rem; padding-bottom: .5rem; }
.queue label { margin: 0; }
.pill.plain { background: var(--sunk); color: var(--soft); }
.pill.good { background: color-mix(in srgb, var(--good) 12%, var(--card)); color: var(--good); }
.pill.warn { background: color-mix(in srgb, var(--warn) 12%, var(--card)); color: var(--warn); }
main .list { max-width: none; margin: 0; padding: 0; list-style: none; }
.list > li { position: relative; display: grid; grid-template-columns: minmax(0, 1fr) 15rem 10rem 6.5rem 2.5rem; gap: 0 .875rem; align-items: center; min-height: 2.5rem; margin: 0; padding: .375rem 0; border-top: var(--hair); }
.list > li:first-child { border: 0; }
.list a { overflow: hidden; line-height: 1.5rem; color: var(--quiet); font-size: var(--s); text-decoration: none; text-overflow: ellipsis; white-space: nowrap; }
.list a:hover { text-decoration: underline; }
.list .from, .list .tick { text-align: left; }
.list .who-of { display: inline-flex; gap: .4rem; align-items: center; min-width: 0; }
.list .due { color: var(--quiet); font-size: var(--s); text-align: end; white-space: nowrap; }
.list .due.late { color: var(--bad); }
.list .due.today { color: var(--warn); }
.list .face { width: 1.25rem; height: 1.25rem; font-size: .5625rem; }
.list .edit-item > summary { padding: .25rem 0; font-size: var(--s); font-weight: 400; list-style: none; text-align: end; }
.list .edit-item > summary::-webkit-details-marker { display: none; }
.list .edit-item[open] { grid-column: 1 / -1; max-width: 36rem; padding-bottom: 1rem; }
.list .edit-item[open] > summary { text-align: start; }
.list .edit-item form + form { margin-top: .75rem; }
.list .pick { position: absolute; left: -1.375rem; }
.list > li:hover > .pick, main:has(.list .pick:checked) .pick { opacity: 1; }
#many { display: contents; }
main:has(.list .pick) { counter-reset: picked; }
main:has(.list .pick:checked) .bulk { display: flex; }
.people :is(.row, .heads) { display: grid; grid-template-columns: 2.25rem minmax(0, 1fr) 4rem 15rem 7rem 2rem; gap: 0 1rem; }
.people .row, .names .row { padding-inline-start: .75rem; }
.people .row > .dur { position: relative; z-index: 1; text-decoration: none; }
.heads { padding: .375rem 0; border-bottom: var(--hair); color: var(--quiet); font-size: var(--xs); font-weight: 600; }
.heads > :nth-child(2n + 3) { text-align: end; }
.talks { display: grid; grid-template-columns: 1fr 4.5rem; gap: .75rem; align-items: center; color: var(--quiet); font-size: var(--s); }
.notice:has(> .i) { display: flex; gap: .75rem; }
.notice > .i { margin-top: .1rem; color: var(--accent); }
.notice h2 { margin: 0; }
.names .row { grid-template-columns: 2.25rem minmax(0, 24rem) 6rem auto minmax(0, 1fr); }
.names .row .check { margin: 0; }
.names .actions { margin-top: 1rem; }
.hero { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; align-items: center; margin: .25rem 0 1.25rem; }
.hero :is(h1, p) { margin: 0; }
.hero > .acts { align-self: flex-start; }
.hero .acts > .button { margin: 0; }
.face.big { width: 4rem; height: 4rem; font-size: 1.375rem; }
.person h2 { margin: .5rem 0; }
.person .row { grid-template-columns: 1.75rem minmax(0, 1fr) 6rem 6.25rem 4rem 4rem; }
.person .row > :is(.labels, .star), .person .pick { display: none; }
main .owed { margin: 0 0 1.5rem; padding: 0; list-style: none; }
.owed li { display: flex; gap: .75rem; justify-content: space-between; padding: .5rem 0; border-top: var(--hair); }
.owed a { color: var(--ink); text-decoration: none; }
.owed a:hover { text-decoration: underline; }
.owed .due { flex: none; font-size: var(--s); }
.menu > .dots { display: grid; place-items: center; width: var(--target); height: var(--target); border-radius: 8px; color: var(--quiet); }
.menu > .dots:hover { background: var(--hover); }
.pop details > summary { padding: .375rem .6rem; color: var(--ink); font-weight: 400; }
.pop .confirm > summary { color: var(--bad); font-size: inherit; }
.pop .confirm p { padding: 0 .6rem; white-space: normal; }
@media (max-width: 56rem) {
  .list > li { grid-template-columns: minmax(0, 1fr) auto; gap: .125rem .75rem; padding: .5rem 0; }
  .list > li > :is(.from, .who-of) { grid-column: 1; margin-inline-start: 1.875rem; }
  .list > li > .due { grid-row: 1; grid-column: 2; }
  .list .edit-item:not([open]) { grid-row: 2; grid-column: 2; }
  .list > li > .pick { left: 0; display: none; width: 1.5rem; height: 1.5rem; }
  .picking .list > li { padding-inline-start: 2rem; }
  .picking .list .pick { display: block; }
  .queue > li { grid-template-columns: 1.5rem minmax(0, 1fr) auto; }
  .queue .state { grid-column: 2; grid-row: 2; }
  .queue .acts { grid-column: 3; grid-row: 1 / span 2; flex-direction: column; align-items: flex-end; }
  .queue .fields { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); grid-column: 2 / -1; }
  .queue .fields > :first-child { grid-column: 1 / -1; }
  .people .row { grid-template: "m n s" auto / 2.25rem minmax(0, 1fr) auto; }
  .people .row > .menu { grid-area: s; }
  .people .phone { display: block !important; }
  .people :is(.heads, .row > :is(.dur, .at-time, .talks)) { display: none; }
  .names .row { grid-template: "m n n" auto "m d a" auto "m b b" auto / 2.25rem minmax(0, 1fr) auto; }
  .names .row > .face { grid-area: m; align-self: start; }
  .names .row > .dur { display: block; grid-area: d; line-height: 1.75rem; text-align: start; }
  .names .row > .check { grid-area: a; min-height: 1.75rem; }
  .names .row > .acts { grid-area: b; margin: 0; }
  .person .row { grid-template: "m n n" auto "m f d" auto / 1.75rem minmax(0, 1fr) auto; }
  .person .row > .strip { display: none; }
}
`
