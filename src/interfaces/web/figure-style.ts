/** The part of the stylesheet for the overview: figures, and tables with bars. */
export const FIGURE_STYLE = `
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1rem; margin: 0 0 1rem; }
.figure { min-width: 0; margin: 0; padding: 1rem 1.125rem; border: var(--hair); border-radius: 12px; background: var(--card); }
.figure h2 { margin: 0 0 .25rem; }
.figures + .figure { margin-bottom: 1rem; }
.figure > p { max-width: none; margin: 0 0 .5rem; color: var(--quiet); font-size: var(--s); }
.figure svg { display: block; overflow: visible; }
.figure rect { fill: var(--accent); }
.figure .open { fill: var(--tint); stroke: var(--accent); stroke-width: 2; stroke-dasharray: 3 2; }
.figure line { stroke: var(--line); stroke-width: 1; }
.figure .axis { stroke: var(--edge); }
.figure text { fill: var(--quiet); font-size: 12px; }
.figure .scale { paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
.figure caption { padding: 0 0 .375rem; color: var(--quiet); text-align: start; }
.figure .bars caption { color: var(--ink); font-size: var(--r); font-weight: 650; }
.figure :is(.bars, .weeks) :is(th, td) { min-width: 0; padding: .3rem .75rem .3rem 0; border: 0; color: var(--ink); font-size: var(--m); font-weight: 400; vertical-align: middle; }
.figure .weeks thead th { font-weight: 600; }
.figure .weeks tbody th, .figure .bars .value { white-space: nowrap; }
.figure .bars .value { text-align: end; color: var(--quiet); }
.figure .bars .part { width: 30%; padding-right: 0; }
.bars th { overflow-wrap: anywhere; }
.bars a { color: var(--ink); text-decoration: none; }
.bars a:hover { text-decoration: underline; }
.figure details > table { margin-top: .625rem; }
@media (min-width: 60rem) { .figure .bars .part { width: 45%; } }
@media (forced-colors: active) { .figure rect { fill: CanvasText; } }
`
