/** The part of the stylesheet for the overview and persons: figures, and tables with bars. */
export const FIGURE_STYLE = `
.seg { display: inline-flex; padding: 2px; border-radius: 8px; background: var(--sunk); }
.seg a { padding: .2rem .7rem; border-radius: 6px; color: var(--quiet); font-size: var(--s); font-weight: 550; text-decoration: none; }
.seg [aria-current] { background: var(--card); color: var(--ink); box-shadow: 0 1px 2px rgb(24 25 30 / .14); }
.key-figures { display: grid; grid-template-columns: repeat(4, 1fr); margin-bottom: 1rem; border: var(--hair); border-radius: 12px; }
.key-figures > * { padding: .875rem 1.125rem; border-inline-start: var(--hair); color: var(--quiet); font-size: var(--s); text-decoration: none; }
.key-figures > :first-child { border: 0; }
.key-figures strong { display: block; color: var(--ink); font-size: var(--xxl); font-weight: 650; line-height: 1.2; letter-spacing: -.02em; }
.key-figures a:hover strong { color: var(--accent); }
.cells { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 1rem; }
.cells > .wide { display: block; grid-column: span 2; text-align: start; }
.figure { min-width: 0; margin: 0; padding: 1rem 1.125rem; border: var(--hair); border-radius: 12px; background: var(--card); }
.figure h2 { margin: 0 0 .25rem; }
.figure .chart, .meter { display: block; overflow: visible; }
.figure rect { fill: var(--accent); }
.figure a:hover rect { fill: var(--ink); }
.figure .open { fill: var(--tint); stroke: var(--accent); stroke-width: 2; stroke-dasharray: 3 2; }
.figure line { stroke: var(--line); stroke-width: 1; }
.figure .axis { stroke: var(--edge); }
.figure text { fill: var(--quiet); font-size: 12px; }
.figure .scale { paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
.meter rect { fill: var(--v, var(--accent)); }
.meter .all { fill: var(--sunk); }
.figure caption { padding: 0 0 .375rem; color: var(--quiet); text-align: start; }
.figure .bars caption { color: var(--ink); font-size: var(--r); font-weight: 650; }
.figure :is(.bars, .weeks) :is(th, td) { min-width: 0; padding: .3rem .75rem .3rem 0; border: 0; color: var(--ink); font-size: var(--m); font-weight: 400; vertical-align: middle; }
.figure .weeks thead th { font-weight: 600; }
.figure .weeks tbody th, .bars .value { white-space: nowrap; }
.figure .bars .value { width: 1%; padding-right: 0; text-align: end; color: var(--quiet); }
.figure .bars .part { width: 30%; }
.bars th > * { display: flex; gap: .4rem; align-items: center; color: var(--ink); text-decoration: none; }
.bars a:hover { text-decoration: underline; }
.bars bdi { min-width: 0; overflow-wrap: anywhere; }
.figure details > table { margin-top: .625rem; }
.two { display: grid; grid-template-columns: minmax(0, 1fr) 23rem; gap: 2.5rem; align-items: start; }
@media (max-width: 75rem) { .cells { grid-template-columns: repeat(2, minmax(0, 1fr)); } .two { grid-template-columns: minmax(0, 1fr) 18rem; gap: 1.5rem; } }
@media (max-width: 56rem) {
  .cells, .two { grid-template-columns: minmax(0, 1fr); }
  .cells > .wide { grid-column: auto; }
  .key-figures { grid-template-columns: 1fr 1fr; }
  .key-figures > :nth-child(odd) { border-inline-start: 0; }
  .key-figures > :nth-child(n + 3) { border-top: var(--hair); }
  .key-figures strong { font-size: var(--xl); }
}
@media (forced-colors: active) { .figure rect { fill: CanvasText; } }
`
