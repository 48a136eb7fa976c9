/** The part of the stylesheet for the page of a session, and what is shared of one. */
export const SESSION_STYLE = `
.crumbs { display: flex; gap: .4rem; margin: 0 0 .375rem; color: var(--quiet); font-size: var(--s); }
.headline { display: flex; gap: .75rem 1.5rem; align-items: flex-start; }
.headline h1 { display: -webkit-box; -webkit-line-clamp: 4; -webkit-box-orient: vertical; max-width: 48rem; margin: 0; overflow: hidden; }
.about-it { display: flex; flex-wrap: wrap; gap: .375rem .875rem; align-items: center; margin: .5rem 0 0; color: var(--quiet); font-size: var(--s); }
.about-it > span { display: inline-flex; gap: .35rem; align-items: center; }
.about-it .i { width: 1rem; height: 1rem; }
.about-it .with { display: inline; min-width: 0; overflow-wrap: anywhere; }
.crumbs a, .with a { color: inherit; text-decoration: none; }
:is(.crumbs, .with) a:hover, a.voice:hover { text-decoration: underline; }
.session { display: grid; grid-template-columns: minmax(0, 30rem) minmax(0, 1fr); gap: 0 2rem; margin-top: 1rem; border-top: var(--hair); }
.came { position: sticky; top: 0; align-self: start; min-height: 60vh; max-height: 100vh; padding: 0 2rem 1rem 0; overflow-y: auto; border-inline-end: var(--hair); scrollbar-width: thin; scroll-padding-top: 3.5rem; }
html:has(.sound) .came { max-height: calc(100vh - 6.25rem); }
.came > .tabs { position: sticky; z-index: 2; top: 0; margin: 0; padding-top: .375rem; background: var(--ground); }
.came section { padding-top: 1.125rem; }
.came section > h2, .talk > h2 { display: flex; gap: .5rem; align-items: baseline; margin: 0 0 .5rem; }
h2 > .quiet { font-weight: 400; }
.prose { max-width: var(--reading); font-size: var(--r); line-height: 1.6; }
.prose > :first-child { margin-top: 0; }
.prose :is(ul, ol) { padding-inline-start: 1.1rem; }
.prose li::marker { color: var(--edge); }
.as-is { white-space: pre-wrap; }
.src { display: inline-block; padding: 0 .3rem; border-radius: 5px; background: var(--sunk); color: var(--quiet); font-size: var(--xs); font-weight: 550; line-height: 1.25rem; text-decoration: none; }
.src:hover, .src:focus-visible { background: var(--tint); color: var(--accent); }
main :is(.rows, .tasks, .items, .named, .voices) { max-width: none; margin: 0; padding: 0; list-style: none; }
:is(.tasks, .items) > li { position: relative; margin: 0; padding: .5rem 0; border-top: var(--hair); }
:is(.tasks, .items) > li:first-child { border: 0; }
.tasks .quiet { display: flex; gap: .5rem; align-items: center; margin: 0 0 0 1.875rem; }
.tight { max-width: 36rem; }
.items > li { display: flex; gap: .625rem; }
.items > li::before { content: "☐"; color: var(--quiet); }
.items > .done::before { content: "☑"; color: var(--accent); }
button.tick { display: flex; gap: .75rem; justify-content: flex-start; align-items: flex-start; min-height: 1.5rem; margin: 0; padding: 0; border: 0; background: none; color: var(--ink); font-weight: 400; line-height: 1.45; text-align: start; }
.tick span { min-width: 0; overflow-wrap: anywhere; }
.tick::before { content: "" / ""; flex: none; width: 1.125rem; height: 1.125rem; margin-top: .1rem; border: 1.5px solid var(--edge); border-radius: 5px; font-size: .75rem; font-weight: 650; line-height: .95rem; text-align: center; }
.tick:hover::before { border-color: var(--accent); }
.tick[aria-checked="true"]::before { content: "✓" / ""; border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.tick[aria-checked="true"] span { color: var(--quiet); text-decoration: line-through; }
.late { color: var(--bad); font-weight: 550; }
.today { color: var(--warn); font-weight: 550; }
.panel { padding: .25rem 0; border-top: var(--hair); }
.panel > summary { padding: .375rem 0; color: var(--ink); }
.panel[open] { padding-bottom: 1rem; }
.panel form + form { margin-top: .75rem; }
.panel .line { display: flex; gap: .75rem; justify-content: space-between; align-items: baseline; margin-top: .5rem; overflow-wrap: anywhere; }
.check { display: flex; gap: .6rem; align-items: flex-start; color: var(--ink); font-size: var(--m); font-weight: 400; }
.check input { flex: none; margin: .2rem 0 0; }
.check span { min-width: 0; overflow-wrap: anywhere; }
fieldset { min-width: 0; margin: .75rem 0 0; padding: 0; border: 0; }
legend { padding: 0; font-size: var(--s); font-weight: 550; }
fieldset .check { margin: .375rem 0 0; }
.talk { min-width: 0; max-width: var(--reading); padding-top: 1rem; }
.find-in { position: sticky; z-index: 2; top: 0; display: flex; gap: .5rem; justify-content: flex-end; align-items: center; padding: .625rem 0; background: var(--ground); }
.find-lines:not([hidden]) { display: flex; flex: 1; gap: .5rem; align-items: center; }
.find-lines .seek { flex: 1; margin: 0; }
.find-lines output { flex: none; color: var(--quiet); font-size: var(--s); }
.find-lines output:empty { display: none; }
.find-lines:has(output:empty) button { display: none; }
.find-in :is(button, .button) { flex: none; margin: 0; }
.turn { padding: .5rem 0; content-visibility: auto; contain-intrinsic-size: auto 90px; }
main .turn p { position: relative; max-width: none; margin: 0; padding: .15rem 1.75rem .15rem 3.25rem; border-radius: 6px; font-size: var(--r); line-height: 1.6; scroll-margin-top: 40vh; }
main .turn .speaker { font-size: var(--s); font-weight: 600; }
.voice { display: inline-flex; gap: .5rem; align-items: center; color: var(--ink); text-decoration: none; }
.voice::before { content: attr(data-i) / ""; }
.chapter { display: flex; gap: .5rem; align-items: center; color: var(--quiet); font-size: var(--s); }
.chapter::after { content: ""; flex: 1; border-top: var(--hair); }
.num { color: var(--quiet); font-size: var(--xs); }
.pop .num { margin-inline-start: auto; }
.voices li { display: grid; grid-template-columns: 1.5rem minmax(0, 1fr) 6.5rem 2.75rem; gap: .625rem; align-items: center; }
.voices svg { width: 100%; height: 6px; border-radius: 9px; background: var(--sunk); fill: var(--v); }
.turn span { display: block; }
.turn p > a[href^="#"] { position: absolute; left: 0; color: var(--quiet); font-size: var(--xs); line-height: 1.5rem; text-decoration: none; }
.turn p > a:hover { color: var(--accent); }
.turn .fix { position: absolute; right: 0; top: .15rem; display: grid; place-items: center; width: 1.5rem; height: 1.5rem; color: var(--quiet); text-decoration: none; opacity: 0; }
.turn p:hover .fix, .turn .fix:focus-visible { opacity: 1; }
.fix::before { content: "✎" / ""; }
.plays [data-s] { cursor: pointer; }
.turn .now, .turn .at { background: var(--tint); box-shadow: inset 2px 0 var(--v); }
.turn p:target, .turn p.there { background: var(--mark); color: var(--mark-ink); }
.turn p:is(:target, .there) a { color: var(--mark-ink); }
::highlight(found) { background-color: var(--mark); color: var(--mark-ink); }
::highlight(found-now) { background-color: var(--accent); color: var(--on-accent); }
.correct { display: grid; gap: .625rem; margin: 1rem 0; padding: .75rem; border: 1px solid var(--accent); border-radius: 10px; background: var(--card); box-shadow: 0 0 0 3px var(--tint); }
.correct label { margin: 0; }
.recording { margin: .75rem 0; }
audio, video { display: block; width: 100%; max-width: var(--reading); margin: .75rem 0; }
.recording :is(audio, video) { max-width: none; margin: 0; }
.recording.sound { position: fixed; z-index: 3; inset: auto 0 0 var(--rail); margin: 0; padding: .625rem var(--pad); border-top: var(--hair); background: var(--card); }
.recording audio { height: 40px; }
.playing:not([hidden]) { display: grid; grid-template: "k w w p" "k l c p" / auto minmax(0, 1fr) auto auto; gap: .25rem 1.25rem; align-items: center; color: var(--quiet); font-size: var(--xs); }
.playing button { margin: 0; }
.steps-of, .pace, .named { display: flex; gap: .125rem; align-items: center; }
.steps-of { grid-area: k; }
.play { width: 2.75rem; min-height: 2.75rem; padding: 0; border-radius: 50%; }
.play:not(.on) .i + .i, .play.on .i:first-child { display: none; }
.wave { grid-area: w; position: relative; }
.wave > * { width: 100%; height: 2.75rem; margin: 0; }
.wave input { position: absolute; inset: 0; opacity: 0; cursor: pointer; }
.wave::after { content: ""; position: absolute; inset: 0 0 0 var(--at, 0%); border-left: 2px solid var(--ink); background: color-mix(in srgb, var(--card) 62%, transparent); pointer-events: none; }
.wave:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 3px; }
.marks { stroke: var(--ink) !important; }
main .named { grid-area: l; gap: 1rem; overflow: hidden; white-space: nowrap; }
.named li { margin: 0; }
.named li::before { content: ""; display: inline-block; width: 8px; height: 8px; margin-inline-end: .35rem; border-radius: 3px; background: var(--v); }
.clock { grid-area: c; }
.pace { grid-area: p; gap: .75rem; }
.pace label { display: flex; gap: .4rem; align-items: center; margin: 0; }
.pace select { width: auto; }
.edit-item > summary { padding: .125rem 0; }
.recording.picture { position: sticky; z-index: 1; top: 0; padding: .5rem 0; background: var(--ground); }
.recording video { max-height: 36vh; background: #000; }
main:has(.sound) { padding-bottom: 9rem; }
html:has(.sound) { scroll-padding-bottom: 8rem; }
.picture ~ .session .find-in { position: static; }
.notice { margin: 1rem 0; padding: .875rem 1rem; border-radius: 10px; background: var(--tint); }
main .notice p { max-width: none; margin: 0 0 .5rem; color: var(--soft); }
.notice.bad { background: var(--bad-tint); }
main .notice > :last-child { margin-bottom: 0; }
.versions { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 1.25rem; }
.versions section, .agent { min-width: 0; padding: 1rem 1.125rem; border: var(--hair); border-radius: 12px; background: var(--card); }
.versions h2 { margin-top: 0; }
.hint { margin: .25rem 0 0; color: var(--quiet); font-size: var(--s); }
@media (hover: none) { .turn .fix { opacity: .7; } }
@media (max-width: 75rem) { .came { padding-inline-end: 1rem; } .session { gap: 0 1.25rem; } }
@media (max-width: 56rem) {
  .headline { flex-wrap: wrap; }
  .headline .acts { margin: 0; }
  .session { display: block; }
  .came, html:has(.sound) .came { position: static; min-height: 0; max-height: none; padding: 0; overflow: visible; border: 0; }
  .came > .tabs { margin: 0 -1rem; padding-inline: 1rem; }
  main .turn p { padding-inline-start: 2.75rem; }
  html:has(.sound) .rail, .named { display: none !important; }
  .recording.sound { padding: .5rem 1rem calc(.5rem + env(safe-area-inset-bottom)); }
  .playing:not([hidden]) { grid-template: "w w w" "k c p" / auto minmax(0, 1fr) auto; }
  .clock { justify-self: end; }
  .pace label + label { display: none; }
  .wave path { stroke-width: 1; }
  main:has(.sound) { padding-bottom: 10rem; }
}
`
