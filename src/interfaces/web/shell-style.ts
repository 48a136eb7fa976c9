/** The part of the stylesheet for what is around a page: the rail, which is a bar at the bottom of a phone; the bar above; the card in the middle. */
export const SHELL_STYLE = `
html { scroll-padding: 5rem 0 6rem; }
.shell { display: grid; grid-template-columns: var(--rail) minmax(0, 1fr); min-height: 100vh; }
.rail {
  position: sticky; top: 0; display: flex; flex-direction: column; gap: .25rem; height: 100vh; padding: .875rem .75rem .75rem; overflow-y: auto;
  background: var(--side); border-inline-end: var(--hair); scrollbar-width: thin;
}
.brand { display: flex; align-items: center; gap: .5rem; padding: .125rem .5rem .625rem; color: var(--ink); font-size: .9375rem; font-weight: 650; text-decoration: none; }
.brand svg { width: 1.375rem; height: 1.375rem; fill: none; stroke: currentColor; stroke-width: 2.6; stroke-linecap: round; }
.seek { position: relative; margin-bottom: .25rem; }
.seek .i { position: absolute; inset: 0 auto 0 .6rem; margin: auto; width: 1rem; height: 1rem; color: var(--quiet); pointer-events: none; }
.seek input { padding-inline: 2rem; }
.seek kbd { position: absolute; inset: 0 .45rem 0 auto; height: fit-content; margin: auto; pointer-events: none; }
.seek input:focus ~ kbd { display: none; }
.rail .new { margin: 0 0 .75rem; border-color: var(--line); background: var(--card); color: var(--ink); }
.rail .new:hover { background: var(--hover); }
.rail nav { display: flex; flex-direction: column; gap: 1px; }
.rail nav a, .more-parts > summary {
  display: flex; align-items: center; gap: .6rem; min-height: 2rem; padding: 0 .5rem; border-radius: 7px; color: var(--soft); font-weight: 550; text-decoration: none;
}
.rail nav a > span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.rail nav a:hover { background: var(--hover); }
.rail nav .num { margin-inline-start: auto; color: var(--quiet); font-size: var(--xs); }
.rail nav [aria-current] { background: var(--chosen); color: var(--ink); font-weight: 600; }
.rail h2 { display: flex; align-items: center; margin: 0; padding: 1rem .5rem .25rem; color: var(--quiet); font-size: var(--xs); font-weight: 600; }
.rail nav h2 a { min-height: 1.5rem; margin-inline-start: auto; color: inherit; }
.rest { display: flex; flex-direction: column; flex: 1; gap: 1px; }
.foot { margin-top: auto; padding-top: 1rem; }
.me { display: flex; align-items: center; gap: .6rem; margin-top: .5rem; padding: .625rem .5rem 0; border-top: var(--hair); font-size: var(--s); }
.who { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.me button { margin: 0; border: 0; background: none; color: var(--quiet); }
.more-parts > summary { list-style: none; }
.more-parts > summary::-webkit-details-marker { display: none; }
.phone { display: none !important; }
main { min-width: 0; padding: 1.5rem var(--pad) 4rem; }
.topbar { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; padding: .75rem var(--pad); border-bottom: var(--hair); }
.topbar .brand { padding: 0; }
.topbar nav { display: flex; flex-wrap: wrap; gap: 0 1rem; }
.topbar nav a { padding: .25rem 0; color: var(--soft); text-decoration: none; font-weight: 550; }
.topbar nav a:hover, .topbar [aria-current] { color: var(--accent); }
.account { display: flex; flex: 1 0 auto; max-width: 100%; justify-content: flex-end; align-items: center; gap: 1rem; min-width: 0; font-size: var(--s); }
.account .who { flex: 0 1 auto; color: var(--quiet); }
.topbar ~ main.page { max-width: 60rem; margin: 0 auto; }
.topbar ~ main:has(.session) { max-width: 80rem; }
.narrow { width: calc(100% - 2rem); max-width: 32rem; margin: clamp(1rem, 8vh, 5rem) auto; padding: clamp(1.25rem, 6vw, 2.5rem); border: var(--hair); border-radius: 16px; background: var(--card); }
.narrow h2 { margin-top: 1.5rem; }
.narrow svg { display: block; width: 44px; height: 44px; margin-bottom: 1.25rem; color: var(--accent); }
.or { display: flex; align-items: center; gap: .75rem; color: var(--quiet); font-size: var(--s); }
.or::before, .or::after { content: ""; flex: 1; border-top: var(--hair); }
.end { margin-top: 1.5rem; }
.title { padding-inline-start: .875rem; border-inline-start: 3px solid var(--accent); font-size: var(--l); font-weight: 600; }
.have { padding: 0; list-style: none; }
.have li { display: flex; gap: .625rem; }
.have li::before { content: "✓" / ""; width: 1em; color: var(--accent); font-weight: 650; }
.have .not, .have .not::before { color: var(--quiet); }
.have .not::before { content: "–" / ""; }
.door { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); min-height: 100vh; }
.door main { display: grid; align-content: center; justify-content: center; grid-template-columns: minmax(0, 22rem); padding: 2rem; }
.door main .brand { padding: 0 0 1.5rem; }
.door main :is(h1, p) { margin: 0 0 .375rem; }
.door main :is(.button, button) { width: 100%; min-height: 2.75rem; }
.door main input { min-height: 2.75rem; }
.door main .or { margin: 1.25rem 0 .25rem; }
.door main .quiet { margin-top: 1.25rem; }
.door aside { display: grid; align-content: center; gap: 1.5rem; padding: 4rem; background: var(--side); border-inline-start: var(--hair); overflow: hidden; }
.door aside .strip { width: 100%; height: 6rem; }
.door aside p { margin: 0; font-size: 1.25rem; }
.door aside p + p { color: var(--quiet); font-size: var(--m); }
.keys-list { max-width: 30rem; padding: 1.25rem 1.5rem; border: 0; border-radius: 16px; background: var(--card); color: var(--ink); box-shadow: var(--shadow); }
.keys-list h2 { margin-top: 0; }
.keys-list::backdrop { background: var(--veil); }
.keys-list dl { display: grid; grid-template-columns: auto 1fr; gap: .375rem 1rem; margin: 0; }
.keys-list dd { margin: 0; color: var(--quiet); }
.strip { display: block; width: 6rem; height: 1.25rem; overflow: visible; }
.strip path { stroke: var(--v); stroke-width: 2; stroke-linecap: round; fill: none; vector-effect: non-scaling-stroke; }
@media (max-width: 56rem) {
  .phone { display: flex !important; }
  .shell { display: block; }
  .rail { position: fixed; z-index: 5; inset: auto 0 0; flex-direction: row; height: auto; padding: 0 0 env(safe-area-inset-bottom); overflow: visible; border: 0; border-top: var(--hair); background: var(--card); }
  .rail > :is(.brand, .seek, .new) { display: none; }
  .rail > nav { flex: 4; flex-direction: row; gap: 0; }
  .rail > nav a, .more-parts > summary { flex: 1; flex-direction: column; justify-content: center; gap: .15rem; min-height: 3.5rem; padding: 0; border-radius: 0; color: var(--quiet); font-size: .6875rem; }
  .rail > nav a .num { display: none; }
  .rail > nav .i, .more-parts > summary .i { width: 1.375rem; height: 1.375rem; }
  .rail > nav [aria-current] { background: none; color: var(--accent); }
  .more-parts { flex: 1; flex-direction: column; }
  .more-parts[open] > summary { color: var(--accent); }
  .more-parts[open]::before { content: ""; position: fixed; inset: 0 0 3.5rem; background: var(--veil); }
  .more-parts:not([open]) ~ .rest { display: none; }
  .rest { position: fixed; inset: auto .5rem 4.25rem; max-height: 75vh; padding: .5rem .75rem .75rem; overflow-y: auto; border-radius: 16px; background: var(--card); box-shadow: var(--shadow); }
  .rail .rest nav a { min-height: 2.75rem; }
  main { padding-top: 1rem; padding-bottom: 6rem; }
  .door { grid-template-columns: minmax(0, 1fr); }
  .door main { align-content: start; padding-top: 12vh; }
  .door aside { display: none; }
}
`
