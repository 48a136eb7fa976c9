/** The part of the stylesheet for the overview: figures, and tables with bars. */
export const FIGURE_STYLE = `
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 16px; margin: 0 0 16px; }
.figure { min-width: 0; margin: 0; padding: 16px 18px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.page .figure h2 { margin: 0 0 4px; font-size: 1.0625rem; font-weight: 600; border: 0; padding: 0; }
.figures + .figure { margin-bottom: 16px; }
.figure > p { margin: 0 0 8px; font-size: .9375rem; color: var(--quiet); max-width: none; }
.figure svg { display: block; overflow: visible; }
.figure rect { fill: var(--accent); }
.figure .open { fill: var(--card); stroke: var(--accent); stroke-width: 2; stroke-dasharray: 3 2; }
.figure line { stroke: var(--line); stroke-width: 1; }
.figure .axis { stroke: var(--quiet); }
.figure text { fill: var(--quiet); font-size: 12px; }
.figure .scale { paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
.bars, .weeks { display: table; width: 100%; border-collapse: collapse; table-layout: auto; margin: 0; font-size: .9375rem; }
.figure caption { text-align: start; padding: 0 0 6px; color: var(--quiet); font-size: .9375rem; }
.figure .bars caption { font-weight: 600; font-size: 1.0625rem; color: var(--ink); }
.figure .bars :is(th, td), .figure .weeks :is(th, td) { padding: 5px 12px 5px 0; border: 0; background: none; text-align: start; font-size: .9375rem; font-weight: 400; vertical-align: middle; color: var(--ink); min-width: 0; }
.figure .weeks thead th { font-weight: 600; }
.figure .weeks tbody th { white-space: nowrap; }
.figure .bars .value { text-align: end; white-space: nowrap; font-variant-numeric: tabular-nums; }
.figure .bars .part { width: 30%; padding-right: 0; }
.bars th { overflow-wrap: anywhere; }
.steps ol { padding: 0; margin: 0; list-style: none; max-width: none; }
.steps h3 { margin: 20px 0 4px; font-size: 1rem; font-weight: 600; }
.steps .button { margin-top: 4px; }
.figure details { font-size: .9375rem; }
.figure details > table { margin-top: 10px; }
@media (min-width: 60rem) { .figure .bars .part { width: 45%; } }
@media (forced-colors: active) { .figure rect { fill: CanvasText; } }
`
