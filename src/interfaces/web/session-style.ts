/** The part of the stylesheet for sessions: their list, search, page and upload. */
export const SESSION_STYLE = `
mark { background: var(--mark); color: var(--mark-ink); border-radius: 3px; padding: 0 1px; }
.hidden { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.search { display: flex; gap: 10px; margin: 0 0 16px; }
.search input { flex: 1 1 auto; min-width: 0; background: var(--card); }
.search button { margin: 0; flex: none; }
.filters { margin: 0 0 20px; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr)); gap: 12px 16px; align-items: end; padding: 12px 0; }
.grid :is(input, select) { height: 42px; }
.grid label { margin: 0; font-size: var(--fine); min-width: 0; }
.grid .actions { grid-column: 1 / -1; }
.actions { display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: center; }
.actions button { margin: 0; }
.rows .labels { padding: 0 18px 12px; margin: -4px 0 0; }
.about + .about { margin-top: -20px; }
.labels { display: flex; flex-wrap: wrap; gap: 6px; max-width: none; margin: 0 0 16px; }
.labels a, .rows .labels a {
  display: inline-block; padding: 1px 10px; border: 1px solid var(--line); border-radius: 99px; background: var(--card); color: var(--ink);
  font-size: .8125rem; text-decoration: none; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
}
.labels a:hover, .rows .labels a:hover { border-color: var(--accent); border-radius: 99px; }
.labels .folder { font-weight: 600; }
.rows strong { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; line-clamp: 3; overflow: hidden; }
.state { font-weight: 600; color: var(--accent); }
.state.failed { color: var(--bad); }
.page .empty > :first-child { margin-top: 0; }
.found { padding: 0; margin: 0; list-style: none; max-width: none; }
.found > li { margin: 0 0 20px; padding: 16px 18px; background: var(--card); border: 1px solid var(--line); border-radius: var(--round); }
.page .found h2 { margin: 0; font-size: var(--subheading); }
.found .about { margin: 2px 0 8px; }
.quotes { padding: 0; margin: 0; list-style: none; max-width: none; }
.quotes a { display: block; padding: 8px 10px; margin: 0 -10px; border-radius: var(--edge); color: var(--ink); text-decoration: none; }
.quotes a:hover { background: var(--field); }
.moment { display: block; font-size: var(--fine); color: var(--quiet); }
.moment time { color: var(--accent); font-variant-numeric: tabular-nums; }
.quote { display: block; white-space: pre-line; overflow-wrap: anywhere; }
.back { margin: 0 0 6px; font-size: var(--small); }
.notice { margin: 0 0 20px; padding: 14px 18px; background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--accent); border-radius: 10px; }
.notice p { margin: 0 0 8px; max-width: none; }
.notice.bad { border-left-color: var(--bad); }
progress { width: 100%; accent-color: var(--accent); }
button.bad { background: var(--bad); border-color: var(--bad); color: var(--card); }
.danger, .plain.danger { color: var(--bad); }
.session { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 40px; }
.session > * { min-width: 0; }
.prose > :first-child, .content > :first-child, .content > :first-child > h2 { margin-top: 0; }
/* Sound plays in a bar below the text, so that it can be steered from everywhere; a picture stays above it. */
.recording.sound {
  position: fixed; inset: auto 0 0; z-index: 2; padding: 8px var(--side); background: var(--card);
  border-top: 1px solid var(--line);
}
.recording.picture { position: sticky; top: 0; z-index: 1; padding: 8px 0; background: var(--ground); }
.recording audio, .recording video { margin: 0; max-width: none; }
.recording audio { height: 40px; }
.recording video { max-height: 36vh; background: #000; }
main:has(.sound) { padding-bottom: 150px; }
html:has(.sound) { scroll-padding-bottom: 130px; }
.playing:not([hidden]) { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: center; padding-top: 6px; font-size: var(--fine); color: var(--quiet); }
.playing label { margin: 0; font-weight: 400; display: flex; gap: 6px; align-items: center; }
.playing select { width: auto; padding: 1px 6px; }
kbd { padding: 0 5px; border: 1px solid var(--line); border-radius: 4px; background: var(--card); font: inherit; }
.tasks { padding: 0; margin: 0; list-style: none; }
.tasks li { margin: 0 0 6px; }
.tasks .quiet { margin: 0; margin-inline-start: 34px; }
.tick { display: flex; gap: 12px; margin: 0; padding: 2px 0; border: 0; background: none; color: var(--ink); font-weight: 400; text-align: start; }
.tick span { overflow-wrap: anywhere; min-width: 0; }
.tick::before {
  content: "" / ""; flex: none; width: 18px; height: 18px; margin-top: 4px; border: 2px solid var(--quiet); border-radius: 5px; line-height: 14px;
  text-align: center; font-size: .75rem; font-weight: 700;
}
.tick[aria-checked="true"]::before { content: "✓" / ""; background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.tick[aria-checked="true"] span { color: var(--quiet); text-decoration: line-through; }
.panel, .files { margin: 0 0 10px; padding: 10px 16px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.panel[open] { padding-bottom: 16px; }
.panel label { margin: 12px 0 4px; font-size: var(--small); }
.panel button:not(.plain) { margin-top: 8px; padding: 5px 14px; }
.panel form + form { margin-top: 12px; padding-top: 4px; border-top: 1px solid var(--line); }
.panel .row { display: flex; gap: 12px; justify-content: space-between; align-items: baseline; margin-top: 8px; border: 0; overflow-wrap: anywhere; }
.panel .row button { flex: none; }
.check { display: flex; gap: 8px; align-items: baseline; font-weight: 400; }
fieldset { margin: 12px 0 0; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; font-weight: 600; font-size: var(--small); }
fieldset .check { margin: 4px 0 0; }
aside { margin-top: 28px; }
.files { font-size: var(--small); }
.files a { margin-left: 6px; }
.turn { padding: 6px 0; content-visibility: auto; contain-intrinsic-size: auto 90px; }
.turn p { margin: 0; padding: 3px 8px 3px 70px; border-radius: 6px; position: relative; scroll-margin-top: 40vh; }
.turn .speaker { font-weight: 600; }
.turn span { display: block; }
.turn p > a { position: absolute; left: 6px; color: var(--quiet); font-size: var(--fine); line-height: 1.75; font-variant-numeric: tabular-nums; text-decoration: none; }
.turn p > a:hover { text-decoration: underline; }
.plays [data-s] { cursor: pointer; }
.plays [data-s]:hover { background: var(--card); }
.turn .now { background: var(--card); box-shadow: inset 3px 0 var(--accent); }
.turn p:target, .turn p.there { display: block; color: var(--mark-ink); background: var(--mark); font-size: inherit; }
.turn p:target a, .turn p.there a { color: var(--mark-ink); }
.find-lines:not([hidden]) {
  position: sticky; top: 0; z-index: 1; display: flex; gap: 8px; align-items: center; margin: 0 0 8px; padding: 8px 0; background: var(--ground);
}
.find-lines input { flex: 1 1 auto; min-width: 0; background: var(--card); }
.find-lines output { flex: none; font-size: .875rem; color: var(--quiet); font-variant-numeric: tabular-nums; }
.find-lines output:empty { display: none; }
.find-lines button { flex: none; margin: 0; padding: 6px 14px; }
.picture ~ .session .find-lines { position: static; }
.turn .at { box-shadow: inset 3px 0 var(--accent); background: var(--card); }
::highlight(found) { background-color: var(--mark); color: var(--mark-ink); }
::highlight(found-now) { background-color: var(--accent); color: var(--on-accent); }
.versions { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 20px; }
.versions section { min-width: 0; padding: 18px; background: var(--card); border: 1px solid var(--line); border-radius: var(--round); }
.page .versions h2 { margin-top: 0; }
.upload { max-width: var(--line-width); }
.drop { padding: 24px; border: 2px dashed var(--line); border-radius: var(--round); background: var(--card); }
.drop.over { border-color: var(--accent); }
.drop input { border: 0; padding: 0; background: none; }
.drop .hint { margin: 10px 0 0; color: var(--quiet); font-size: var(--small); }
.transfers { padding: 0; list-style: none; }
.transfers .moving { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 14px; max-width: 46rem; }
.transfers progress { flex: 1 1 12rem; width: auto; margin: 0; }
.transfers button { flex: none; margin: 0; }
.transfers .why { flex: 1 0 100%; color: var(--quiet); font-size: var(--small); }
@media (min-width: 60rem) {
  .session { grid-template: auto 1fr / minmax(0, 1fr) 19rem; }
  .session aside { grid-column: 2; grid-row: 1 / span 2; margin: 0; align-self: start; }
}
@media (hover: none) { .keys { display: none; } }
`
